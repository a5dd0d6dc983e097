import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { rowLocked } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { type Pool, takeConnection } from './pool.ts';

export { ANSWER_LIMIT_MS, createPool, createSharedPool, type Pool, pingPostgres } from './pool.ts';

/** A statement, and the values of its `$1`, `$2`, ... */
type Statement = { text: string; values?: unknown[] };

/** An open transaction: what every statement in this folder takes. */
export type Transaction = {
  /**
   * Runs a statement. One with `values` is prepared once for each connection; one that comes with its values in one object is
   * planned for these very values.
   */
  query<Row extends object>(statement: string | Statement, values?: unknown[]): Promise<pg.QueryResult<Row>>;
};

/** An instant inside JSON, as Postgres writes a timestamptz there (ISO 8601 with an offset) and as we do. Throws on anything else. */
export function instantOfJson(text: string): Instant {
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw new Error(`${text} is not an instant`);
  return instant;
}

const transactions = new AsyncLocalStorage<true>();

/**
 * Throws where it is called from within a transaction: what takes part in one must not wait for another server, which may hang
 * while rows are locked that others need.
 */
export function assertNoTransaction(what: string): void {
  if (transactions.getStore()) throw new Error(`${what} is asked within a Postgres transaction`);
}

/** The account of a transaction, and the role that sees no other one's rows (migration 0090). */
const AS_TENANT = `SELECT set_config('meterbook.account_id', $1, true), set_config('role', 'meterbook_tenant', true)`;

/**
 * Runs `work` in one transaction of `accountId`: committed when it resolves, rolled back when it throws. It sees and
 * changes rows of this account alone, whatever its statements say (row-level security, architecture#postgres).
 */
export function inTransaction<T>(
  pool: Pool,
  accountId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return transact(pool, accountId, work, (tx) => [tx.query('BEGIN'), tx.query(AS_TENANT, [accountId])]);
}

/**
 * As {@link inTransaction}, for what only reads: Postgres refuses it every change and every lock, and what it found is there
 * as soon as it was read, while the transaction still ends. Its first statements do not wait for its beginning either.
 */
export function inReading<T>(
  pool: Pool,
  accountId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const begin = (tx: Transaction) => [tx.query('BEGIN READ ONLY'), tx.query(AS_TENANT, [accountId])];
  return transact(pool, accountId, work, begin, { waits: false });
}

/** As {@link inReading}, for several statements whose answers must be of one instant. */
export function inSnapshot<T>(
  pool: Pool,
  accountId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const begin = (tx: Transaction) => [
    tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    tx.query(AS_TENANT, [accountId]),
  ];
  return transact(pool, accountId, work, begin, { waits: false });
}

/**
 * Runs `work` in one transaction that sees every account: for what is about none in particular, such as the outbox relay.
 * Few may (test/architecture.test.ts names them); they show nothing of what they see to a caller.
 */
export function acrossAccounts<T>(pool: Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return transact(pool, undefined, work, (tx) => [tx.query('BEGIN')]);
}

/**
 * `begin` sends what a transaction begins with. `waits`: until it has begun and has ended. Without, the first statement of `work`
 * goes out behind `begin`: where setting the account fails, Postgres refuses it; where BEGIN itself fails (it was canceled, or
 * the machine stood still for the time that a statement has), it runs outside of any transaction. For a read that is no harm: its
 * answer is not given to anybody. A change would stay, alone.
 */
async function transact<T>(
  pool: Pool,
  accountId: string | undefined,
  work: (transaction: Transaction) => Promise<T>,
  begin: (tx: Transaction) => Promise<unknown>[],
  { waits = true } = {},
): Promise<T> {
  // Who has a connection already and waits for a second one must not wait for a turn: those who have one might all do so.
  const party = transactions.getStore() ? undefined : accountId;
  const { client, release } = await takeConnection(pool, party);
  let broken: Error | undefined;
  let ending: Promise<unknown> | undefined;
  const sent: Sent = { answers: [], last: [] };
  const tx = byName(client);
  sentIn.set(tx, sent);
  const begun = Promise.all(begin(tx));
  begun.catch(() => {}); // told below
  try {
    if (waits) await begun;
    const result = await transactions.run(true, () => work(tx));
    await begun;
    const ended = inOneWrite(client, () => {
      for (const statements of sent.last) for (const statement of statements()) send(tx, ...statement);
      return client.query('COMMIT');
    });
    if (waits) await Promise.all([...sent.answers, ended]);
    else ending = ended;
    return result;
  } catch (cause) {
    // What was sent before may be why: whatever comes behind it fails for that.
    const error = await begun.then(
      () => sent.failure ?? cause,
      (first: unknown) => first,
    );
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    if (isPreparedForAnotherSchema(error)) broken = error;
    throw isLockTimeout(error) ? Object.assign(rowLocked(), { cause: error }) : error;
  } finally {
    if (!ending) release(broken);
    else {
      ending.then(
        () => release(),
        (error: Error) => release(error),
      );
    }
  }
}

/**
 * One statement outside of any transaction, prepared once for each connection: for what looks again and again for work of all accounts.
 * Few may, as with {@link acrossAccounts}.
 */
export async function lookAcrossAccounts<Row extends object>(
  pool: Pool,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await byName(client).query<Row>(text, values);
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Names are given to so many texts; ours are about 300, and whatever else would be made of callers' words stays unnamed. */
const MAX_NAMED_STATEMENTS = 2_000;

const statementNames = new Map<string, string>();

/**
 * What runs the statements of a connection: those with values by a name, under which Postgres prepares each once. A renewal runs
 * some sixty of them, and to parse and plan them each time is half of what they cost Postgres.
 */
function byName(client: pg.ClientBase): Transaction {
  return {
    query: (statement, values) => {
      if (typeof statement !== 'string' || !values) return client.query(statement);
      const name = nameOf(statement);
      return client.query({ ...(name !== undefined && { name }), text: statement, values });
    },
  };
}

function nameOf(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined || statementNames.size >= MAX_NAMED_STATEMENTS) return known;
  const name = `s${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/** What has been given to a client within `work` goes to Postgres in one piece: it has the last of it with the first. */
function inOneWrite<T>({ connection: { stream } }: pg.PoolClient, work: () => T): T {
  stream.cork();
  try {
    return work();
  } finally {
    stream.uncork();
  }
}

/** As {@link Transaction.query} takes it. */
export type StatementSent = Parameters<Transaction['query']>;

/**
 * What has been sent in a transaction that is open and nobody has heard the answer of yet, and the first of it that failed; and what is sent
 * with its end.
 */
type Sent = { answers: Promise<unknown>[]; failure?: unknown; last: (() => StatementSent[])[] };

const sentIn = new WeakMap<Transaction, Sent>();

/** What stands for an open transaction of ours, the same for it and for it {@link withoutAnswers}. Throws for any other. */
export function identityOf(tx: Transaction): object {
  return sentOf(tx);
}

function sentOf(tx: Transaction): Sent {
  const sent = sentIn.get(tx);
  if (!sent) throw new Error('nobody would hear how a statement went that is sent outside of a transaction of ours');
  return sent;
}

/**
 * Sends a statement whose answer only the end of the transaction waits for, which fails where it fails: it costs no round trip of its own
 * while rows are locked.
 */
export function send(tx: Transaction, ...statement: StatementSent): void {
  const sent = sentOf(tx);
  const answer = tx.query(...statement);
  // Told at the end.
  answer.catch((error: unknown) => {
    sent.failure ??= error;
  });
  sent.answers.push(answer);
}

/**
 * {@link send}s statements together with the end of the transaction, and in one piece with it: what they lock, others wait for as long as
 * Postgres takes for that, and never for a process of ours that waits for a core. `statements` is
 * asked for them then; it is not where the transaction is rolled back.
 */
export function sendLast(tx: Transaction, statements: () => StatementSent[]): void {
  sentOf(tx).last.push(statements);
}

/**
 * The transaction for work whose statements only write: it {@link send}s each, so that all of them go to Postgres together. Whoever reads
 * an answer gets an error.
 */
export function withoutAnswers(tx: Transaction): Transaction {
  const writing: Transaction = {
    query: async (...statement) => {
      send(tx, ...statement);
      return UNREAD;
    },
  };
  const sent = sentIn.get(tx);
  if (sent) sentIn.set(writing, sent);
  return writing;
}

const UNREAD = {
  command: '',
  oid: 0,
  fields: [],
  get rowCount(): never {
    throw new Error('the answer of a statement that was only sent is not read');
  },
  get rows(): never {
    throw new Error('the answer of a statement that was only sent is not read');
  },
};

/** Whether a prepared statement no longer fits its table, which a later release has changed: the connection is of no more use. */
function isPreparedForAnotherSchema(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '0A000';
}

/** Whether a statement has waited for a row lock for longer than it may. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Whether `error` is Postgres refusing a row for the constraint or index called `name`. */
export function violates(error: unknown, name: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === name;
}

/** The only row of an answer, or undefined where there is none. */
export function firstRow<T>(answer: { rows: T[] }): T | undefined {
  return answer.rows[0];
}
