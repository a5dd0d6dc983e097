import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { howMany } from '../how-many.ts';
import { newAccount } from '../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../stack/api.ts';
import { type AnyCall, anyCall } from './call-fixtures.ts';
import { type NamedOperation, operationsOf } from './document.ts';

/** Calls of each operation. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? howMany(6, 12));
/** `FUZZ_SEED` looks elsewhere than every other run does. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);
/** Ids of a kind that are remembered. */
const MAX_IDS = 12;

const document = openApiDocument(OPERATIONS);
const operations = operationsOf(document);

/** Ids that answers named, by the name they have in paths and bodies. */
type Pool = Map<string, string[]>;

test('whatever is sent, no operation fails or answers anything that is not in the document', {
  timeout: 180_000,
}, async () => {
  const { api, key } = await newAccount();
  const own = itemsOf((await api.get('/api/api-keys')).body.results);
  const pool: Pool = new Map([['provider', ['stripe', 'braintree']]]);
  /** Its own key must live on. */
  const kept = own.filter(({ prefix }) => key.startsWith(String(prefix))).map(({ key_id }) => String(key_id));
  const calls = operations.map((operation, i) =>
    fc.sample(anyCall(document, operation), { numRuns: ROUNDS, seed: SEED + i }),
  );
  const statuses = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, operation] of inOrderOfNeed(operations)) {
      const call = calls[i]?.[round] as AnyCall;
      const answer = await send(api, operation, call, pool);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.headers.get('x-request-id')).not.toBeNull();
      remember(pool, answer.body, kept);
      if (answer.status === 204) forget(pool, withIds(call.params, pool));
    }
  }
  // It would prove little if most of it were refused.
  const all = [...statuses.values()].reduce((a, b) => a + b, 0);
  const succeeded = [...statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0);
  expect(succeeded / all, JSON.stringify([...statuses])).toBeGreaterThan(0.1);
});

/** What makes records first, deletes last. */
function inOrderOfNeed(all: NamedOperation[]): [number, NamedOperation][] {
  const isLast = ({ method, path }: NamedOperation) => method === 'delete' || path.endsWith('/delete');
  const entries = [...all.entries()];
  return [...entries.filter(([, one]) => !isLast(one)), ...entries.filter(([, one]) => isLast(one))];
}

async function send(api: Api, operation: NamedOperation, call: AnyCall, pool: Pool) {
  const { params, query, body, headers } = withIds(call, pool);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeText(params[name] ?? ''));
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeText(value)}`);
  const url = search.length === 0 ? path : `${path}?${search.join('&')}`;
  const isText = typeof body === 'string' && operation.method !== 'get';
  const payload = body === undefined ? undefined : isText ? body : JSON.stringify(body);
  const method = operation.method as 'get' | 'post' | 'put' | 'patch' | 'delete';
  const takesBody = method === 'post' || method === 'put' || method === 'patch';
  return api[method](url, takesBody ? payload : undefined, headers);
}

/** A lone surrogate has no percent-encoding: its bytes are sent. */
function encodeText(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) || '%20' : '%ED%A0%80';
}

function withIds<T>(value: T, pool: Pool): T {
  if (typeof value === 'string') {
    const [, name = '', n] = /^@(\w+):(\d+)$/.exec(value) ?? [];
    if (n === undefined) return value;
    const ids = pool.get(name) ?? [];
    return (ids[Number(n) % Math.max(1, ids.length)] ?? 'none') as T;
  }
  if (Array.isArray(value)) return value.map((one) => withIds(one, pool)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withIds(one, pool)])) as T;
}

function remember(pool: Pool, body: unknown, kept: string[]): void {
  if (Array.isArray(body)) for (const one of body) remember(pool, one, kept);
  else if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body as Json)) {
      const text = value as unknown;
      if (!name.endsWith('_id') || typeof text !== 'string' || kept.includes(text)) remember(pool, text, kept);
      else pool.set(name, [...new Set([...(pool.get(name) ?? []), text])].slice(-MAX_IDS));
    }
  }
}

/** What was deleted is asked for no more: most calls shall find what they name. */
function forget(pool: Pool, params: Record<string, string>): void {
  for (const [name, id] of Object.entries(params)) {
    pool.set(
      name,
      (pool.get(name) ?? []).filter((one) => one !== id),
    );
  }
}
