import type { Writable } from 'node:stream';
import pg from 'pg';

/** Names are given to so many texts; ours are about 300, and whatever else would be made of callers' words stays unnamed. */
const MAX_NAMES = 2_000;

const names = new Map<string, string>();

/**
 * Has a connection prepare each statement with values once, and run it by name from then on: a renewal runs some sixty of
 * them, and to parse and plan them each time is half of what they cost Postgres. What is asked before anything else gets a
 * turn goes out in one write.
 */
export function prepareStatements(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  const named = (text: unknown, values: unknown, ...rest: unknown[]) => {
    stream.cork();
    queueMicrotask(() => stream.uncork());
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined;
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  };
  client.query = named as typeof client.query;
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
