import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { customerTurns } from '../../../workflows/activities/worker-shares.ts';

const NEVER = new AbortController().signal;

/** Work that ends when it is told; what has begun, in order. */
function fixture() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let i = 0; i < 5; i++) await settled();
  };
  return { begun, work, end };
}

test('steps of a customer come one after another, and an account with many customers does not go first', async () => {
  const { begun, work, end } = fixture();
  const turns = customerTurns({ atOnce: 2, ofOne: 2 });
  const ask = (accountId: string, customerId: string, name: string) =>
    void turns({ accountId, customerId }, NEVER, work(name));
  ask('a', 'acme', 'a/acme 1');
  ask('a', 'acme', 'a/acme 2');
  for (const customer of ['b', 'c', 'd', 'e']) ask('a', customer, `a/${customer}`);
  ask('live', 'acme', 'live/acme');
  await settled();
  expect(begun).toEqual(['a/acme 1', 'a/b']);
  await end('a/b');
  await end('a/c');
  expect(begun).toEqual(['a/acme 1', 'a/b', 'a/c', 'live/acme']);
  await end('a/acme 1');
  await end('live/acme');
  expect(begun.slice(4)).toEqual(['a/d', 'a/e']);
});
