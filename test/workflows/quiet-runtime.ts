import { DefaultLogger, Runtime } from '@temporalio/worker';

// A process has one, and test files share a process: this module is evaluated once.
Runtime.install({ logger: new DefaultLogger('ERROR') });
