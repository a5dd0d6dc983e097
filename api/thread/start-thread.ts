import { MessageChannel } from 'node:worker_threads';
import Tinypool from 'tinypool';
import { unavailable } from '../../core/domain-error.ts';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { type KnownLarge, rememberLarge } from './known-large.ts';
import type { ThreadAnswer, ThreadConfig, ThreadTask } from './task.ts';

/** One answer at a time: it takes all that the thread and its few connections can do. */
const TURNS = { atOnce: 1, ofOne: 1, waitingOfOne: 20 };
/** A caller is answered 503 rather than left to wait longer than this for its turn. */
const MOST_WAITING_MS = 30_000;
/** A thread that has not answered by then is ended, and another one begun with the next answer. */
const MOST_ANSWERING_MS = 60_000;
/**
 * Megabytes of its heap. A draft of 1,000 subscriptions makes 80 of garbage: a young part in which most of it fits is cleaned less
 * often (bench draft).
 */
const HEAP = { maxYoungGenerationSizeMb: 192, maxOldGenerationSizeMb: 256 };

/** What has an operation run in the thread; it begins with the first. */
export type Thread = {
  /**
   * The answer, in turn with other accounts'. `signal` aborts when the caller has gone.
   * @throws DomainError `unavailable` where too many wait or it takes too long, HttpError 499 for nobody
   */
  answer(task: Omit<ThreadTask, 'asOf' | 'landedPosition' | 'gone'>, signal: AbortSignal): Promise<ThreadAnswer>;
  /** Who waits for a turn. */
  turns: FairTurns;
  knownLarge: KnownLarge;
  stop(): Promise<void>;
};

/** A thread for what would keep other calls waiting: it has an event loop and connections of its own (decisions/large-customers). */
export function createThread(
  config: ThreadConfig,
  progress: Pick<UsageProgress, 'asOf' | 'landedPosition'>,
  log: Log,
): Thread {
  const inTurn = fairTurns(TURNS);
  let pool: Tinypool | undefined;

  async function run(task: Omit<ThreadTask, 'asOf' | 'landedPosition' | 'gone'>, signal: AbortSignal) {
    pool ??= startPool(config, log);
    const [asOf, landedPosition] = await Promise.all([progress.asOf(), progress.landedPosition()]);
    const { port1: caller, port2: gone } = new MessageChannel();
    const leave = () => caller.postMessage('gone');
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    const isLate = AbortSignal.timeout(MOST_ANSWERING_MS);
    try {
      const whole: ThreadTask = { ...task, asOf, landedPosition, gone };
      const answer: ThreadAnswer = await pool.run(whole, { transferList: [gone], signal: isLate });
      return answer;
    } catch (error) {
      throw isLate.aborted ? unavailable('The answer takes more time than one may. Try again.') : error;
    } finally {
      signal.removeEventListener('abort', leave);
      caller.close();
    }
  }

  return {
    answer: async (task, signal) => {
      const isLate = AbortSignal.timeout(MOST_WAITING_MS);
      const { accountId } = task.call.caller;
      return inTurn(accountId, AbortSignal.any([signal, isLate]), () => run(task, signal)).catch((error) => {
        if (signal.aborted) throw new HttpError(499, 'The caller went away.');
        throw error === isLate.reason ? unavailable('Answers about large customers are waited for. Try again.') : error;
      });
    },
    turns: inTurn,
    knownLarge: rememberLarge(),
    stop: async () => {
      if (!pool) return;
      await pool.run(undefined, { name: 'close' });
      await pool.destroy();
    },
  };
}

function startPool(workerData: ThreadConfig, log: Log): Tinypool {
  const pool = new Tinypool({
    filename: new URL('./thread.ts', import.meta.url).href,
    ...{ name: 'answer', minThreads: 1, maxThreads: 1, workerData, resourceLimits: HEAP },
    // Else it would stand still between two tasks, with connections to look after.
    useAtomics: false,
  });
  // Of a thread that has ended by itself; the next task has another one.
  pool.on('error', (error) => log.error({ err: error }, 'the thread ended'));
  return pool;
}
