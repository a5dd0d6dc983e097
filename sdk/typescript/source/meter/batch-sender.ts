import { Backoff } from './backoff.ts';
import { type Rejected, type Service, sendBatch } from './batch-request.ts';
import { type FieldErrors, FlushTimeoutError } from './errors.ts';
import { halved, type Lines, partedByOrigin, splitLines } from './lines.ts';
import { keepRejected, type Rejection } from './rejected-file.ts';
import type { Batch, Mark, Spool } from './spool.ts';

/** Requests under way at once: while one is stored another is compressed, and two are on their way. */
const LANES = 4;

export type BatchSenderOptions = Service & {
  spoolDir: string;
  batchEvents: number;
  lingerMs: number;
  onRejected(rejection: Rejection): void;
  onError(error: unknown): void;
};

/** Sends what is in a spool, the oldest first, until all of it has been answered. */
export class BatchSender {
  accepted = 0;
  rejected = 0;
  /** Requests without an answer, or with one that says to try again; and failures of the disk. */
  failures = 0;

  readonly #spool: Spool;
  readonly #options: BatchSenderOptions;
  readonly #backoff = new Backoff();
  readonly #closing = new AbortController();
  readonly #lanes = new Set<Promise<void>>();
  readonly #flushes = new Set<{ mark: Mark; done(): void }>();
  #linger: NodeJS.Timeout | undefined;
  /** What has not been taken is sent even where it makes no whole batch. */
  #isDue = false;

  constructor(spool: Spool, options: BatchSenderOptions) {
    this.#spool = spool;
    this.#options = options;
  }

  /** To be called whenever an event has been appended: as cheap as can be. */
  appended(): void {
    if (this.#linger !== undefined) return;
    this.#linger = setTimeout(() => this.sendAll(), this.#options.lingerMs).unref();
  }

  /** A whole batch is there, perhaps. */
  sendWhole(): void {
    while (this.#lanes.size < LANES && !this.#closing.signal.aborted && this.#hasBatch()) {
      const batch = this.#take();
      if (!batch) return;
      const lane = this.#send(batch).finally(() => {
        this.#lanes.delete(lane);
        this.sendWhole();
      });
      this.#lanes.add(lane);
    }
  }

  /** All that is there. */
  sendAll(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#isDue = this.#spool.untaken > 0;
    this.sendWhole();
  }

  /** Resolves when all that stands in the spool has been answered. @throws FlushTimeoutError */
  async flush(timeoutMs: number): Promise<void> {
    const mark = this.#spool.mark();
    if (this.#spool.isAnswered(mark)) return;
    this.sendAll();
    await new Promise<void>((resolve, reject) => {
      const flush = {
        mark,
        done: () => {
          clearTimeout(timer);
          this.#flushes.delete(flush);
          resolve();
        },
      };
      // Somebody waits for it: the process may not end meanwhile.
      const timer = setTimeout(() => {
        this.#flushes.delete(flush);
        reject(new FlushTimeoutError(`${this.#spool.pending} events are not answered after ${timeoutMs} ms.`));
      }, timeoutMs);
      this.#flushes.add(flush);
    });
  }

  /** Gives up what is under way, which stays in the spool. */
  async close(): Promise<void> {
    clearTimeout(this.#linger);
    this.#closing.abort();
    await Promise.all(this.#lanes);
  }

  #hasBatch(): boolean {
    const { untaken } = this.#spool;
    return untaken >= this.#options.batchEvents || (this.#isDue && untaken > 0);
  }

  #take(): Batch | undefined {
    try {
      const batch = this.#spool.take(this.#options.batchEvents);
      if (this.#spool.untaken === 0) this.#isDue = false;
      return batch;
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  async #send(batch: Batch): Promise<void> {
    try {
      if (batch.isOurs) await this.#deliver(batch);
      else {
        const { ours, others } = partedByOrigin(batch);
        await this.#reject(others.map((line) => ({ line, errors: { event: ['Must be valid JSON.'] } })));
        await this.#deliver(ours);
      }
    } catch (error) {
      // What has been given up stays in the spool, for the next meter.
      if (!this.#closing.signal.aborted) this.#options.onError(error);
      return;
    }
    this.#spool.settle(batch);
    for (const { mark, done } of this.#flushes) if (this.#spool.isAnswered(mark)) done();
  }

  /** Sends lines until each has been answered. @throws AbortError */
  async #deliver(lines: Lines): Promise<void> {
    const { signal } = this.#closing;
    while (lines.events > 0) {
      await this.#backoff.wait(signal);
      const begun = performance.now();
      const answer = await sendBatch(this.#options, lines, signal);
      signal.throwIfAborted();
      if (answer.type === 'failed') {
        this.#fail(answer.error, begun, answer.retryAfterMs);
        continue;
      }
      this.#backoff.succeed();
      if (answer.type === 'answered') return this.#settle(lines, answer.rejected);
      if (lines.events === 1) return this.#settle(lines, [{ index: 0, errors: answer.errors }]);
      for (const half of halved(lines)) await this.#deliver(half);
      return;
    }
  }

  async #settle(lines: Lines, rejected: Rejected[]): Promise<void> {
    if (rejected.length > 0) {
      const sent = splitLines(lines);
      await this.#reject(
        rejected.flatMap(({ index, errors }) => {
          const line = sent[index];
          return line ? [{ line, errors }] : [];
        }),
      );
    }
    this.accepted += lines.events - rejected.length;
  }

  /** They leave the spool only when they stand in the file. @throws AbortError */
  async #reject(refused: { line: Buffer; errors: FieldErrors }[]): Promise<void> {
    if (refused.length === 0) return;
    const rejections = refused.map(({ line, errors }) => ({ event: eventOf(line), errors }));
    for (let isKept = false; !isKept; ) {
      const begun = performance.now();
      try {
        await keepRejected(this.#options.spoolDir, rejections);
        isKept = true;
      } catch (error) {
        this.#fail(error, begun, 0);
        await this.#backoff.wait(this.#closing.signal);
      }
    }
    this.rejected += rejections.length;
    for (const rejection of rejections) this.#options.onRejected(rejection);
  }

  #fail(error: unknown, begun: number, retryAfterMs: number) {
    this.failures += 1;
    this.#backoff.fail(begun, retryAfterMs);
    this.#options.onError(error);
  }
}

function eventOf(line: Buffer): unknown {
  const text = line.toString().trimEnd();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
