import type { Log } from './log.ts';

/** A started part of a process: stopped in the reverse order of starting. */
export type Stoppable = { name: string; stop(): Promise<void> };

/** After this a stop is given up and the process ends anyway: the launcher's own limit is 15 s (spec/service#local-stack). */
const STOP_DEADLINE_MS = 10_000;

/**
 * Runs one process: starts it, then waits for SIGTERM or SIGINT and stops its parts, the last started first.
 * `start` registers each part as it comes up, so that a start that fails half-way stops what is there.
 */
export async function runProcess(log: Log, start: (started: (part: Stoppable) => void) => Promise<void>) {
  const parts: Stoppable[] = [];
  let stopping = false;

  async function stop(reason: string, code: number) {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    for (const part of parts.reverse()) {
      await part.stop().catch((error) => log.error({ err: error, part: part.name }, 'stop failed'));
    }
    log.info('stopped');
    process.exit(code);
  }

  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    void stop('uncaughtException', 1);
  });
  // A rejection nobody waits for is a bug, but the process lives on (architecture#habits).
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

  try {
    await start((part) => parts.push(part));
    log.info('started');
  } catch (error) {
    log.fatal({ err: error }, 'start failed');
    await stop('start failed', 1);
  }
}
