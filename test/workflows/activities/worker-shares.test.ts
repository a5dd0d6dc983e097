import { setImmediate as settled } from 'node:timers/promises';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { expect, test } from 'vitest';
import { runInTurn } from '../../../workflows/activities/run-due-steps.ts';
import { createWorkerShares, customerTurns } from '../../../workflows/activities/worker-shares.ts';
import { CONCURRENT_ACTIVITIES } from '../../../workflows/worker.ts';

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

test('an account whose clocks hold their part of the slots has further ones try again later, and another account none', async () => {
  const shares = createWorkerShares(1);
  const untouched = new Proxy({}, { get: () => expect.fail('nothing is asked') });
  const dependencies = { shares, postgres: untouched as never, workflows: untouched as never };
  const run = { cancelled: NEVER, isRepeat: false };
  let held = 0;
  for (; ; held++) {
    const taken = await shares.clockRuns.take('acct_1', NEVER).catch(() => undefined);
    if (!taken) break;
  }
  expect(held).toBeLessThanOrEqual(CONCURRENT_ACTIVITIES / 10);
  const failure = await runInTurn(dependencies, { accountId: 'acct_1', testClockId: 'clock_1' }, run).catch((e) => e);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ nonRetryable: false, category: ApplicationFailureCategory.BENIGN });
  expect(failure.nextRetryDelay).toBeGreaterThanOrEqual(10_000);
  (await shares.clockRuns.take('acct_2', NEVER))();
  // All accounts together leave more than half of the slots to others.
  for (let i = 0; i < CONCURRENT_ACTIVITIES; i++) await shares.clockRuns.take(`acct_${i + 2}`, NEVER).catch(() => {});
  expect(shares.clockRuns.isFull()).toBe(true);
  expect(shares.clockRuns.refused()).toBeGreaterThan(CONCURRENT_ACTIVITIES / 2);
});
