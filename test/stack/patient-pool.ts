import { createPool, type Pool } from '../../sql/postgres/pool.ts';

/** The service answers 503 rather than wait longer than 3 s for a connection; a test waits as long as a busy machine takes. */
const CONNECT_TIMEOUT_MS = 120_000;

/** Creates a pool for what a test itself asks Postgres. */
export function patientPool(url: string): Pool {
  const pool = createPool(url);
  pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT_MS;
  return pool;
}
