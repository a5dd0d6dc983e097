import pg from 'pg';
import { parseStoredJson } from '../../runtime/exact-json.ts';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { primaryClient, serversOf } from './primary-client.ts';

export type Pool = pg.Pool;

const { types } = pg;
// Dates stay text, instants become milliseconds, numbers in JSON stay exact; numeric and bigint are text by default.
types.setTypeParser(types.builtins.DATE, (text) => text);
types.setTypeParser(types.builtins.TIMESTAMPTZ, (text) => Date.parse(text));
types.setTypeParser(types.builtins.JSON, parseStoredJson);
types.setTypeParser(types.builtins.JSONB, parseStoredJson);

/** Connections per process: the API's handlers and the worker's activities hold one for a few milliseconds each. */
const POOL_SIZE = 20;
/** A caller is answered 503 rather than left to wait longer than this for a connection. */
const CONNECT_TIMEOUT_MS = 3_000;
/** How accounts share these connections. Two of them are always left to what a process asks for itself. */
const SHARES = { atOnce: POOL_SIZE - 2, ofOne: 8, waitingOfOne: 1_000, longestWaitMs: CONNECT_TIMEOUT_MS };
/**
 * An idle connection is kept for so long: a new one costs a login, and each of its statements is parsed and planned again, which is more
 * than what the statements themselves cost.
 */
const IDLE_MS = 5 * 60_000;
/** No statement of ours takes this long unless something is wrong. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** By then Postgres has given a statement up by itself, where it, and the way to it, still live: its connection is cut. */
export const ANSWER_LIMIT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** So that Postgres lets go, within a minute, of a process whose machine has gone without a word: its locks would stay for hours. */
const FIND_DEAD_CLIENTS = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

/**
 * A pool of at most so many connections to Postgres. Nobody waits longer than `answerLimitMs` for the answer to one query, whatever has
 * become of Postgres (0: as long as it takes, for what a person runs and watches). A URL of several servers means the one of them that
 * takes writes.
 */
export function createPool(
  url: string,
  answerLimitMs = ANSWER_LIMIT_MS,
  connections = POOL_SIZE,
  lockLimitMs?: number,
): Pool {
  const servers = serversOf(url);
  const pool = new pg.Pool({
    connectionString: servers[0],
    ...(servers.length > 1 && { Client: primaryClient(servers) }),
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: answerLimitMs,
    // Statements that do not wait for each other's answers are sent one behind the other.
    pipeline: true,
    ...(lockLimitMs !== undefined && { lock_timeout: lockLimitMs }),
    options: `-c TimeZone=UTC ${FIND_DEAD_CLIENTS}`,
  });
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => {});
  // One that breaks while it is in use fails its query; without a listener that, too, would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const turnsOf = new WeakMap<Pool, FairTurns>();

const NEVER_GIVEN_UP = new AbortController().signal;

/**
 * The pool of a process that works for many accounts: they take turns, and no account holds all connections. `lockLimitMs`: a statement
 * that waits longer for a row lock fails as DomainError `row_locked`; without it the statement's own time is the limit.
 */
export function createSharedPool(url: string, lockLimitMs?: number): Pool {
  const pool = createPool(url, ANSWER_LIMIT_MS, POOL_SIZE, lockLimitMs);
  turnsOf.set(pool, fairTurns(SHARES));
  return pool;
}

/** Returns the turns of a pool whose connections accounts share. Throws for any other pool. */
export function connectionTurns(pool: Pool): FairTurns {
  const turns = turnsOf.get(pool);
  if (!turns) throw new Error('the connections of this pool are not shared');
  return turns;
}

/** A connection of a pool. `release` gives it back; with an error the connection is closed. */
export type TakenConnection = { client: pg.PoolClient; release(error?: Error): void };

/**
 * Takes a connection: for `party` in its turn if the pool's connections are shared.
 * @throws DomainError `unavailable` if too much of the party waits, or it has waited too long
 */
export async function takeConnection(pool: Pool, party: string | undefined): Promise<TakenConnection> {
  const turns = party === undefined ? undefined : turnsOf.get(pool);
  const leave = party === undefined ? undefined : await turns?.take(party, NEVER_GIVEN_UP);
  try {
    const client = await pool.connect();
    return {
      client,
      release: (error) => {
        client.release(error);
        leave?.();
      },
    };
  } catch (error) {
    leave?.();
    throw error;
  }
}

/** Resolves when Postgres answers a query, rejects when it does not. */
export async function pingPostgres(pool: Pool): Promise<void> {
  await pool.query('SELECT 1');
}
