import type pg from 'pg';

/** So much waits to be taken before the server is asked to pause. */
const MOST_WAITING_BYTES = 8 * 2 ** 20;

type CopyData = { chunk: Buffer };
type DataRow = { fields: (string | null)[] };

/**
 * A command of the replication protocol whose answer is a stream of messages (`CopyData`), as `pg` runs any query of a form of its
 * own. Rows that come before and behind the messages are kept in `rows`.
 */
export class CopyQuery implements pg.Submittable {
  readonly rows: (string | null)[][] = [];
  readonly #text: string;
  #connection: pg.Connection | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #end: { error?: Error } | undefined;
  #wake: () => void = () => {};

  constructor(text: string) {
    this.#text = text;
  }

  /** What has come since the last time, until the server ends the stream or {@link stop} is called. Throws what the server says. */
  async *batches(): AsyncGenerator<Buffer[]> {
    for (;;) {
      if (this.#waiting.length === 0 && !this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
      const batch = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#connection?.stream.resume();
      if (batch.length > 0) yield batch;
      else if (this.#end?.error) throw this.#end.error;
      else if (this.#end) return;
    }
  }

  /** Sends a message to the server. */
  send(message: Buffer): void {
    const head = Buffer.alloc(5, 'd');
    head.writeInt32BE(message.length + 4, 1);
    this.#connection?.stream.write(Buffer.concat([head, message]));
  }

  /** Ends {@link batches} once it has given what has come. */
  stop(error?: Error): void {
    this.#end ??= error ? { error } : {};
    this.#wake();
  }

  // What follows `pg` calls, by these names.

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: CopyData): void {
    // The parser writes the next messages where this one is.
    this.#waiting.push(Buffer.from(chunk));
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#connection?.stream.pause();
    this.#wake();
  }

  handleDataRow({ fields }: DataRow): void {
    this.rows.push(fields);
  }

  handleError(error: Error): void {
    this.stop(error);
  }

  handleReadyForQuery(): void {
    this.stop();
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
}
