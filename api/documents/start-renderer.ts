import Tinypool from 'tinypool';
import { unavailable } from '../../core/domain-error.ts';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { InvoiceRef } from '../../services/references.ts';

/** Two threads, so that a document that takes long holds up only its own account. */
const THREADS = 2;
const TURNS = {
  atOnce: THREADS,
  ofOne: 1,
  waitingOfOne: 20,
  longestWaitMs: 30_000,
  refusal: 'Too many documents of this account are asked for at once. Ask for fewer, and try again.',
};
/** A document that is not there by then never comes: its thread is ended, and the next document has another one. */
const LONGEST_RENDERING_MS = 60_000;
/** The fonts of a thread take up to 100 MB; it ends when it has been idle for so long. */
const IDLE_MS = 10 * 60_000;
const HEAP = { maxOldGenerationSizeMb: 256 };

export type RendererConfig = {
  databaseUrl: string;
  /** Bytes of documents that an account keeps. */
  mostKeptBytes: number;
  logLevel: string;
};

/** Renders documents outside of the API's event loop, in turns of accounts. */
export type Renderer = {
  /**
   * Returns the document of an invoice, which is rendered once and kept. `signal` aborts when the caller has gone.
   * @throws DomainError `unavailable` if too much of the account waits, or if the document takes too long; HttpError 499 for nobody
   */
  invoicePdf(ref: InvoiceRef, signal: AbortSignal): Promise<Uint8Array>;
  turns: FairTurns;
  stop(): Promise<void>;
};

export function createRenderer(config: RendererConfig, log: Log): Renderer {
  const turns = fairTurns(TURNS);
  let pool: Tinypool | undefined;

  async function render(ref: InvoiceRef): Promise<Uint8Array> {
    pool ??= startPool(config, log);
    const isLate = AbortSignal.timeout(LONGEST_RENDERING_MS);
    try {
      return await pool.run(ref, { signal: isLate });
    } catch (error) {
      log.error({ err: error, ...ref }, 'a document could not be rendered');
      throw unavailable('The document cannot be rendered now. Try again.');
    }
  }

  return {
    invoicePdf: (ref, signal) =>
      turns(ref.accountId, signal, () => render(ref)).catch((error) => {
        throw signal.aborted ? new HttpError(499, 'The caller went away.') : error;
      }),
    turns,
    stop: async () => pool?.destroy(),
  };
}

function startPool(workerData: RendererConfig, log: Log): Tinypool {
  const pool = new Tinypool({
    filename: new URL('./rendering.ts', import.meta.url).href,
    ...{
      name: 'invoicePdf',
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
      workerData,
      resourceLimits: HEAP,
    },
    // With Atomics an idle thread is suspended and would not notice that Postgres has closed its connection.
    useAtomics: false,
  });
  pool.on('error', (error) => log.error({ err: error }, 'a thread that renders documents ended'));
  return pool;
}
