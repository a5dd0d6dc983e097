import pg from 'pg';

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

/** Names are given to so many texts; ours are about 300, and whatever else would be made of callers' words stays unnamed. */
const MAX_NAMES = 2_000;

const names = new Map<string, string>();

/**
 * What runs the statements of a connection: those with values by a name, under which Postgres prepares each once. A renewal runs
 * some sixty of them, and to parse and plan them each time is half of what they cost Postgres.
 */
export function byName(client: pg.ClientBase): Transaction {
  return {
    query: (statement, values) => {
      if (typeof statement !== 'string' || !values) return client.query(statement);
      const name = nameOf(statement);
      return client.query({ ...(name !== undefined && { name }), text: statement, values });
    },
  };
}

/** Whether a prepared statement no longer fits its table, which a later release has changed: the connection is of no more use. */
export function isPreparedForAnotherSchema(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000';
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
