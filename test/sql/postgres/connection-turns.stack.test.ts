import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { answerOf } from '../../../runtime/http/errors.ts';
import { connectionTurns } from '../../../sql/postgres/pool.ts';
import { createSharedPool, inReading, inTransaction, type Pool } from '../../../sql/postgres/postgres.ts';
import { newAccount } from '../../stack/accounts.ts';
import { stack } from '../../stack/api.ts';
import { waitUntil } from '../../stack/wait-until.ts';

const LOCK_LIMIT_MS = 100;

let pool: Pool;

beforeAll(() => {
  pool = createSharedPool(stack().postgres_url, LOCK_LIMIT_MS);
});
afterAll(() => pool.end());

/** A transaction of the account that holds its connection until it is told to end. */
function hold(accountId: string) {
  const over = Promise.withResolvers<void>();
  const done = inTransaction(pool, accountId, async (tx) => {
    await tx.query('SELECT 1');
    await over.promise;
  });
  return { end: over.resolve, done };
}

test('an account that wants all connections leaves some to the others, in reads as in changes', async () => {
  const [greedy, other] = [newId('acct'), newId('acct')];
  const held = Array.from({ length: 60 }, () => hold(greedy));
  await waitUntil(
    async () => connectionTurns(pool).waitingParties(),
    ([first]) => first?.running === 8 && first.waiting === 52,
  );
  const read = () => inReading(pool, other, async (tx) => (await tx.query('SELECT 1')).rowCount);
  const change = () => inTransaction(pool, other, async (tx) => (await tx.query('SELECT 1')).rowCount);
  expect(await Promise.all([read(), change(), read(), change()])).toEqual([1, 1, 1, 1]);
  for (const { end } of held) end();
  await Promise.all(held.map(({ done }) => done));
  expect(connectionTurns(pool).isFull()).toBe(false);
});

test('a place is free again after a read, and after a transaction that failed or whose connection broke', async () => {
  const account = newId('acct');
  for (let i = 0; i < 9; i++) {
    await inReading(pool, account, (tx) => tx.query('SELECT 1'));
    const failing = inTransaction(pool, account, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    const broken = inTransaction(pool, account, (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(broken).rejects.toThrow();
  }
  expect(await inTransaction(pool, account, async () => 'works')).toBe('works');
});

test('transactions that open another one within never wait for each other', async () => {
  const account = newId('acct');
  const nested = () =>
    inTransaction(pool, account, async (tx) => {
      await tx.query('SELECT 1');
      return inReading(pool, account, async (inner) => (await inner.query('SELECT 1')).rowCount);
    });
  expect(await Promise.all(Array.from({ length: 8 }, nested))).toEqual(Array.from({ length: 8 }, () => 1));
});

test('a lock that another transaction holds for too long is 503, with a code of its own and when to come again', async () => {
  const { accountId } = await newAccount();
  const lock = 'SELECT 1 FROM accounts WHERE account_id = $1 FOR UPDATE';
  const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = inTransaction(pool, accountId, async (tx) => {
    await tx.query(lock, [accountId]);
    locked.resolve();
    await over.promise;
  });
  await locked.promise;
  const second = inTransaction(pool, accountId, (tx) => tx.query(lock, [accountId]));
  const refusal = answerOf(await second.catch((error) => error), 'req_1');
  over.resolve();
  await first;
  expect(refusal).toMatchObject({ status: 503, body: { code: 'row_locked' }, headers: { 'Retry-After': '1' } });
});
