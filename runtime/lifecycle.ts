import { flushCompileCache } from 'node:module';
import { type Clock, systemClock } from './clock.ts';
import { createLog, type Log } from './log.ts';

/** A started part of a process: stopped in the reverse order of starting. `address`: where it listens, if it does. */
export type Stoppable = { name: string; address?: string; stop(): Promise<void> };

/** Takes note of each part as it comes up, so that a start that fails half-way stops what is there. */
export type Started = (part: Stoppable) => void;

/** What a process has of its own unless something else is passed in. */
export type ShellParts = { clock: Clock; log: Log };

/** A process of ours: nothing of it runs before `start`, and several may run within one (a test). */
export type Shell = {
  readonly log: Log;
  /** Resolves when it serves; where it fails, `stop` ends what had been started. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The URL at which it serves. Throws before it has started. */
  readonly address: string;
};

/** The parts of the process called `name`, with what is passed in. */
export function shellParts(name: string, logLevel: string, overrides: Partial<ShellParts> = {}): ShellParts {
  return { clock: systemClock, log: createLog(name, logLevel), ...overrides };
}

/** A shell of what `assemble` starts, which can be started once. */
export function createShell(log: Log, assemble: (started: Started) => Promise<void>): Shell {
  const parts: Stoppable[] = [];
  let isStopped = false;
  async function stop() {
    isStopped = true;
    for (let part = parts.pop(); part; part = parts.pop()) {
      const { name } = part;
      await part.stop().catch((error) => log.error({ err: error, part: name }, 'stop failed'));
    }
  }
  return {
    log,
    start: () =>
      assemble((part) => {
        parts.push(part);
        // What comes up while the others are being stopped would stay.
        if (isStopped) void stop();
      }),
    stop,
    get address() {
      const address = parts.find((part) => part.address !== undefined)?.address;
      if (address === undefined) throw new Error('It does not serve yet.');
      return address;
    },
  };
}

/** After this a stop is given up and the process ends anyway: the launcher's own limit is 15 s (spec/service#local-stack). */
const STOP_DEADLINE_MS = 10_000;

/** Runs a shell as the whole of this process: starts it, then waits for SIGTERM or SIGINT and stops it. */
export async function runProcess(shell: Shell): Promise<void> {
  const { log } = shell;
  let stopping = false;

  async function stop(reason: string, code: number) {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    await shell.stop();
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
    await shell.start();
    log.info('started');
    // Where compiled code is kept (compile-cache.ts), a process that is killed would leave the next one to compile all of it again.
    flushCompileCache();
  } catch (error) {
    log.fatal({ err: error }, 'start failed');
    await stop('start failed', 1);
  }
}
