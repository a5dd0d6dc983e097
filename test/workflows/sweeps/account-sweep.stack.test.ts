import { expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { eventually, invoicesOf, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';

/** The worker's sweeps go on for one account while rows of another account are locked. */

/** The number of consolidated invoices that a lock holds up. A statement waits 20 s for a lock, so together they wait two minutes. */
const LOCKED_PAYERS = 6;
const SOON_MS = 60_000;

/** Runs `work` while another transaction holds locks on rows of an account. */
async function whileLocked<T>(rows: string, { accountId }: TestAccount, work: () => Promise<T>): Promise<T> {
  return withPostgres(async (postgres) => {
    const client = await postgres.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SELECT FROM ${rows} WHERE account_id = $1 FOR NO KEY UPDATE`, [accountId]);
      return await work();
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
}

/** Makes an account with `count` customers, each of whom has an open opening invoice. */
async function accountWithDebtors(count: number): Promise<TestAccount> {
  const account = await newAccount();
  const plan_id = await makePlan(account.api, { charge_timing: 'in_advance' });
  const ids = Array.from({ length: count }, (_, i) => `debtor_${i}`);
  await Promise.all(
    ids.map(async (id) => subscribe(account.api, { customer_id: await makeCustomer(account.api, id), plan_id })),
  );
  await eventually(
    () => invoicesOf(account.api, ''),
    ({ length }) => length === count,
  );
  return account;
}

test('invoices of an account become past due while those of another one are locked', async () => {
  const [locked, other] = [await accountWithDebtors(2), await accountWithDebtors(1)];
  // Not past due yet by their date: the sweep plans them anew, for when they are.
  const isOver = (account: TestAccount, days: number) =>
    withPostgres((postgres) => {
      const sql = 'UPDATE past_due_waits SET due_at = now() - make_interval(days => $2) WHERE account_id = $1';
      return postgres.query(sql, [account.accountId, days]);
    });
  const areLeft = (account: TestAccount) =>
    withPostgres(async (postgres) => {
      const sql = 'SELECT FROM past_due_waits WHERE account_id = $1 AND due_at <= now()';
      return (await postgres.query(sql, [account.accountId])).rowCount;
    });
  await whileLocked('invoices', locked, async () => {
    await isOver(locked, 2);
    await isOver(other, 1);
    await eventually(
      () => areLeft(other),
      (left) => left === 0,
    );
    expect(await areLeft(locked)).toBe(2);
  });
  await eventually(
    () => areLeft(locked),
    (left) => left === 0,
  );
});

test('consolidated invoices of an account are issued while the payers of another one are locked', async () => {
  const [locked, other] = [await accountWithDebtors(LOCKED_PAYERS), await accountWithDebtors(1)];
  const addSections = ({ accountId }: TestAccount, days: number) =>
    withPostgres((postgres) =>
      postgres.query(
        `INSERT INTO invoice_sections (account_id, customer_id, subscription_id, period_index, kind, due_at, period_start, period_end,
           subtotal, lines)
         SELECT account_id, customer_id, subscription_id, 0, 'period', date_trunc('day', now()) - make_interval(days => $2), now() - interval '30 days',
           now(), 0, '[]'
         FROM subscriptions WHERE account_id = $1`,
        [accountId, days],
      ),
    );
  const consolidated = ({ accountId }: TestAccount) =>
    withPostgres(async (postgres) => {
      const sql = 'SELECT FROM invoice_sections WHERE account_id = $1 AND invoice_id IS NOT NULL';
      return (await postgres.query(sql, [accountId])).rowCount;
    });
  await whileLocked('customers', locked, async () => {
    await addSections(locked, 2);
    await addSections(other, 1);
    const begun = performance.now();
    await eventually(
      () => consolidated(other),
      (issued) => issued === 1,
    );
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    expect(await consolidated(locked)).toBe(0);
  });
  await eventually(
    () => consolidated(locked),
    (issued) => issued === LOCKED_PAYERS,
  );
});
