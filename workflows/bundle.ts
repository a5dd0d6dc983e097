import { createLog } from '../runtime/log.ts';
import { bundleWorkflows } from './worker.ts';

/** Prints the bundle of the workflow definitions: the bundler takes 150 MB, which a process gives back only by ending (kept-bundle.ts). */
process.stdout.write(JSON.stringify(await bundleWorkflows(createLog('bundle', 'silent'))));
