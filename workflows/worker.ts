import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bundleWorkflowCode,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { Stoppable } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { patiently } from '../runtime/repeat.ts';
import type { Activities, WebhookActivities } from './activities/activities.ts';
import type { Slots } from './activities/slots.ts';
import { frameActivities } from './activity-frame.ts';
import { keepEndedWorkflows } from './namespace-retention.ts';
import { registerSearchAttributes } from './search-registration.ts';

export type WorkflowBundle = WorkflowBundleWithSourceMap;

/** Workflows kept in memory, some 100 kB each, between their tasks; the others are replayed when something happens to them. */
const CACHED_WORKFLOWS = 500;

/** A stopped worker's tasks are given to another one after this; the library's 10 s is a long stall after a kill. */
const STICKY_TIMEOUT = '5 seconds';

/** Activities under way get this long to finish by themselves when the worker stops, then they are cancelled. */
const SHUTDOWN_GRACE = '3 seconds';
/** The process must have ended within 10 s (runtime/lifecycle.ts). */
const SHUTDOWN_FORCE = '8 seconds';

/** Between two attempts to reach a server that is away. */
const RECONNECT_PAUSE_MS = 1_000;

const WORKFLOWS = join(import.meta.dirname, 'definitions/workflows.ts');
const INTERCEPTORS = join(import.meta.dirname, 'definitions/forward-trace.ts');

/**
 * Bundles the workflow code; takes seconds, so it is kept (kept-bundle.ts). Its modules keep no state, so all
 * workflows share them: one in the cache is half as large, and is made in less time. Stack traces say file and line.
 */
export function bundleWorkflows(log: Log): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    workflowInterceptorModules: [INTERCEPTORS],
    preloadModules: ['@temporalio/workflow', '@temporalio/common', WORKFLOWS, INTERCEPTORS],
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-cheap-source-map' }),
    logger: sdkLogger(log),
  });
}

/** The library writes to our log, and leaves signals to runtime/lifecycle.ts. Call once, before the first worker. */
export function installRuntime(log: Log): void {
  const logging = { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } as const;
  Runtime.install({ logger: sdkLogger(log), shutdownSignals: [], telemetryOptions: { logging } });
}

type WorkerOptions = {
  temporalAddress: string;
  temporalNamespace: string;
  taskQueue: string;
  /** Absent: only activities. */
  bundle?: WorkflowBundle;
  activities: Partial<Activities> | WebhookActivities;
  activitiesAtOnce: number;
  /** How accounts share the slots of the activities. Absent: they have shares elsewhere. */
  slots?: Slots;
  log: Log;
};

export type RunningWorker = Stoppable & { isPolling(): boolean };

/** Runs a worker for ever: where the server is away it waits, and where a worker ends it makes another one. */
export function startWorker(options: WorkerOptions): RunningWorker {
  const { log } = options;
  let worker: Worker | undefined;
  let stopping = false;

  async function run() {
    while (!stopping) {
      const connection = await patiently('temporal', log, () =>
        NativeConnection.connect({ address: options.temporalAddress }),
      );
      try {
        await registerSearchAttributes(connection, options.temporalNamespace);
        await keepEndedWorkflows(connection, options.temporalNamespace, log);
        worker = await createWorker(connection, options);
        if (!stopping) await worker.run();
      } catch (error) {
        log.error({ err: error }, 'worker ended, another one is made');
        await sleep(RECONNECT_PAUSE_MS);
      } finally {
        worker = undefined;
        await connection.close().catch(() => {});
      }
    }
  }

  const running = run();
  return {
    name: `temporal worker of ${options.taskQueue}`,
    isPolling: () => worker?.getState() === 'RUNNING',
    stop: async () => {
      stopping = true;
      if (worker === undefined) return;
      worker.shutdown();
      await running;
    },
  };
}

function createWorker(connection: NativeConnection, options: WorkerOptions): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: options.temporalNamespace,
    taskQueue: options.taskQueue,
    ...(options.bundle && { workflowBundle: options.bundle }),
    activities: options.activities,
    interceptors: { activity: [frameActivities(options.slots)] },
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: options.activitiesAtOnce,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
  });
}

type SdkLogger = NonNullable<Parameters<typeof bundleWorkflowCode>[0]['logger']>;

function sdkLogger(log: Log): SdkLogger {
  const at = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
    log[level](meta ?? {}, message);
  const levels = { TRACE: at('trace'), DEBUG: at('debug'), INFO: at('debug'), WARN: at('warn'), ERROR: at('error') };
  const { TRACE: trace, DEBUG: debug, INFO: info, WARN: warn, ERROR: error } = levels;
  return { trace, debug, info, warn, error, log: (level, message, meta) => levels[level](message, meta) };
}
