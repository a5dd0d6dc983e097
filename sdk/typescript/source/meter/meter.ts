import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchSender } from './batch-sender.ts';
import { type FieldErrors, FlushTimeoutError, MeterClosedError } from './errors.ts';
import { eventLine, type UsageEvent } from './event-line.ts';
import { Spool } from './spool.ts';

export { type FieldErrors, FlushTimeoutError, InvalidEventError, MeterClosedError, SpoolFullError } from './errors.ts';
export type { UsageEvent } from './event-line.ts';

/** How often a meter looks for what others have left that have died: all of it is sent within 30 s. */
const TAKE_OVER_MS = 15_000;
const MOST_OF_A_BATCH = 10_000;

export type MeterOptions = {
  /** Of the service, as `https://billing.example.com`. */
  baseUrl: string;
  /** A key with the scope `events:write`. */
  apiKey: string;
  /** A folder on a disk of this machine that outlives the process; processes may share it. */
  spoolDir: string;
  /** Above it `track` throws SpoolFullError; 268,435,456 (256 MiB). */
  maxSpoolBytes?: number;
  /** Events sent together at most, 1 to 10,000; 1,000. */
  batchEvents?: number;
  /** How long an event waits for others to be sent with; 200. */
  lingerMs?: number;
  /** What a power cut may cost; 1,000. */
  fsyncMs?: number;
  /** How long an answer is waited for; 10,000. */
  timeoutMs?: number;
  /** Hears of each event that the service refused, which is in `rejected.ndjson`, too; after a kill perhaps twice. */
  onReject?(event: UsageEvent, errors: FieldErrors): void;
  /** Hears of each request that failed and is sent again, and of each failure of the disk. */
  onError?(error: Error): void;
};

/** Counts of events since `open`; what was found pending then, or has been taken over since, is in all but `tracked`. */
export type MeterStats = {
  tracked: number;
  /** Stored by the service, repeats included. */
  accepted: number;
  rejected: number;
  pending: number;
  spoolBytes: number;
  /** When the oldest one came that may be pending; of what was found, when its file was begun. Null where none is pending. */
  oldestPendingAt: Date | null;
  /** Requests that were not answered, or with an answer that says to try again; failures of the disk, too. */
  failures: number;
  /** What the last failure said. */
  lastError: string | null;
};

/** What has failed last, and who hears of it. */
type Health = { lastError: string | null; fail(error: unknown): void };

/** Keeps usage events on disk until the service has stored them, and sends them. */
export class Meter {
  readonly #spool: Spool;
  readonly #sender: BatchSender;
  readonly #batchEvents: number;
  readonly #health: Health;
  #tracked = 0;
  #isSending = false;
  #closed: Promise<{ pending: number }> | undefined;
  readonly #closing = new AbortController();
  readonly #takingOver: Promise<void>;

  private constructor(spool: Spool, sender: BatchSender, batchEvents: number, health: Health) {
    this.#spool = spool;
    this.#sender = sender;
    this.#batchEvents = batchEvents;
    this.#health = health;
    this.#takingOver = this.#takeOverAgain();
  }

  /**
   * A meter on this folder, which begins to send what is in it. The service may be away.
   * @throws where the folder can't be used, or an option is none
   */
  static async open(options: MeterOptions): Promise<Meter> {
    const { baseUrl, apiKey, timeoutMs = 10_000, batchEvents = 1_000, lingerMs = 200 } = options;
    const { maxSpoolBytes = 268_435_456, fsyncMs = 1_000, onReject, onError } = options;
    for (const [name, value] of Object.entries({ maxSpoolBytes, batchEvents, lingerMs, fsyncMs, timeoutMs })) {
      if (!(value >= 0)) throw new RangeError(`${name} must be a number of 0 or more, not ${value}.`);
    }
    if (!Number.isInteger(batchEvents) || batchEvents < 1 || batchEvents > MOST_OF_A_BATCH) {
      throw new RangeError(`batchEvents must be a whole number from 1 to 10,000, not ${batchEvents}.`);
    }
    assertRequest(baseUrl, apiKey);
    // The app may go to another folder.
    const spoolDir = resolve(options.spoolDir);
    const health: Health = {
      lastError: null,
      fail: (error) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        health.lastError = failure.message;
        quietly(() => onError?.(failure));
      },
    };
    const spool = await Spool.open({ spoolDir, maxSpoolBytes, fsyncMs, onError: health.fail });
    const service = { baseUrl, apiKey, timeoutMs, spoolDir, batchEvents, lingerMs };
    const sender = new BatchSender(spool, {
      ...service,
      onRejected: ({ event, errors }) => {
        // What a power cut made of a line is no event: it is in the file alone.
        if (typeof event === 'object' && event !== null) quietly(() => onReject?.(event as UsageEvent, errors));
      },
      onError: health.fail,
    });
    sender.sendAll();
    return new Meter(spool, sender, batchEvents, health);
  }

  /**
   * Puts an event into the spool: once this has returned, the app may be killed. Answers the event's idempotency id.
   * @throws InvalidEventError, SpoolFullError, MeterClosedError: the event was not taken
   */
  track(event: UsageEvent): string {
    if (this.#closed) throw new MeterClosedError();
    const { id, line } = eventLine(event);
    this.#spool.append(line);
    this.#tracked += 1;
    this.#sender.appended();
    if (this.#spool.untaken >= this.#batchEvents) this.#sendSoon();
    return id;
  }

  /**
   * Resolves when all that was tracked before has been answered.
   * @throws FlushTimeoutError: nothing is lost, and it goes on being sent
   */
  flush({ timeoutMs = 30_000 }: { timeoutMs?: number } = {}): Promise<void> {
    return this.#sender.flush(timeoutMs);
  }

  /** Takes no more, and sends what it has. Answers how many events it leaves to the next `open`. */
  close({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): Promise<{ pending: number }> {
    this.#closed ??= this.#close(timeoutMs);
    return this.#closed;
  }

  stats(): MeterStats {
    const { accepted, rejected, failures } = this.#sender;
    const { pending, bytes: spoolBytes } = this.#spool;
    const oldest = this.#spool.oldestSince();
    const oldestPendingAt = oldest === null ? null : new Date(oldest);
    const { lastError } = this.#health;
    return { tracked: this.#tracked, accepted, rejected, pending, spoolBytes, oldestPendingAt, failures, lastError };
  }

  /** After the caller's own work: `track` reads no file. */
  #sendSoon() {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.#sender.sendWhole();
    });
  }

  async #close(timeoutMs: number): Promise<{ pending: number }> {
    await this.#sender.flush(timeoutMs).catch((error: unknown) => {
      if (!(error instanceof FlushTimeoutError)) throw error;
    });
    this.#closing.abort();
    await this.#takingOver;
    await this.#sender.close();
    await this.#spool.close();
    return { pending: this.#spool.pending };
  }

  async #takeOverAgain(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await sleep(TAKE_OVER_MS, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#spool.takeOver().catch(this.#health.fail);
      this.#sender.sendAll();
    }
  }
}

/** @throws TypeError for an address or a key with which nothing can ever be sent */
function assertRequest(baseUrl: string, apiKey: string) {
  if (!/^https?:$/.test(new URL(baseUrl).protocol)) throw new TypeError(`baseUrl must begin with http: ${baseUrl}`);
  if (apiKey === '') throw new TypeError('apiKey must not be empty.');
  new Headers({ 'X-API-KEY': apiKey });
}

/** What a listener throws is its own affair: events are sent all the same. */
function quietly(listener: () => void) {
  try {
    listener();
  } catch {}
}
