import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { fairTurns } from '../../../runtime/fair-turns.ts';
import { type AccountSweep, startAccountSweep } from '../../../workflows/sweeps/account-sweep.ts';

const SWEEPS = { atOnce: 2, ofOne: 1, waitingOfOne: Number.POSITIVE_INFINITY };

/** Accounts with so many pieces of work. `work` does one. */
function fixture(queues: Record<string, number>, work: (accountId: string) => Promise<void> = async () => {}) {
  const done: string[] = [];
  const left = new Map(Object.entries(queues));
  const sweep: AccountSweep = {
    name: 'any',
    pauseMs: 5,
    listAccounts: async (underWay) =>
      [...left].flatMap(([accountId, pieces]) => (pieces > 0 && !underWay.includes(accountId) ? [accountId] : [])),
    listWork: async (accountId) =>
      Array.from({ length: Math.min(50, left.get(accountId) ?? 0) }, () => async () => {
        await work(accountId);
        left.set(accountId, (left.get(accountId) ?? 0) - 1);
        done.push(accountId);
        return true;
      }),
  };
  return { done, left, start: () => startAccountSweep(sweep, fairTurns(SWEEPS), pino({ enabled: false })) };
}

test('an account with a thousand pieces of work does not go before one with two', async () => {
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
  const { done, start } = fixture({ many: 1_000, more: 1_000, few: 2 }, pause);
  const sweep = start();
  await vi.waitFor(() => expect(done.filter((accountId) => accountId === 'few')).toHaveLength(2));
  expect(done.lastIndexOf('few')).toBeLessThan(20);
  const doneBeforeStop = done.length;
  await sweep.stop();
  expect(done.length).toBeLessThanOrEqual(doneBeforeStop + SWEEPS.atOnce);
});

test('an account whose work hangs holds up nobody else', async () => {
  const hangs = Promise.withResolvers<void>();
  const { done, left, start } = fixture({ hangs: 3, other: 120 }, (accountId) =>
    accountId === 'hangs' ? hangs.promise : Promise.resolve(),
  );
  const sweep = start();
  await vi.waitFor(() => expect(done).toHaveLength(120));
  left.set('later', 1);
  await vi.waitFor(() => expect(done).toContain('later'));
  expect(done).not.toContain('hangs');
  hangs.resolve();
  await vi.waitFor(() => expect(left.get('hangs')).toBe(0));
  await sweep.stop();
});

test('work that fails is done by a later look', async () => {
  let failures = 2;
  const { left, start } = fixture({ any: 3 }, async () => {
    if (failures-- > 0) throw new Error('Postgres is away');
  });
  const sweep = start();
  await vi.waitFor(() => expect(left.get('any')).toBe(0));
  await sweep.stop();
});
