import { expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';

/** Subscriptions of one account that are created, and closed, at the same moment. */
const MANY = howMany(20, 50);
const numberOf = (n: number) => `INV-${String(n).padStart(6, '0')}`;

test(`${MANY} creations at once, then ${MANY} closings beside ${MANY} more: numbers have no gaps and no repeats`, async () => {
  const { api, accountId } = await newAccount();
  const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
  const clocks = await Promise.all(Array.from({ length: MANY }, () => makeClock(api, '2026-03-01T00:00:00Z')));
  const create = async (name: string, test_clock_id: string | null) =>
    subscribe(api, { customer_id: await makeCustomer(api, name, { test_clock_id }), plan_id });
  await Promise.all(clocks.map((clock, i) => create(`customer-${i}`, clock)));
  expect((await invoicesOf(api, '')).map((invoice) => invoice.invoice_number)).toEqual(
    Array.from({ length: MANY }, (_, i) => numberOf(i + 1)),
  );

  // Each on a clock of its own, so that their closings race with each other and with the creations.
  await Promise.all([
    ...clocks.map((clock) => advance(api, clock, '2026-04-01T00:00:00Z')),
    ...clocks.map((_, i) => create(`more-${i}`, null)),
  ]);
  const invoices = await invoicesOf(api, '');
  expect(invoices.map((invoice) => invoice.invoice_number)).toEqual(
    Array.from({ length: 3 * MANY }, (_, i) => numberOf(i + 1)),
  );
  const kinds = invoices.map(({ kind }) => String(kind));
  expect(kinds.filter((kind) => kind === 'period')).toHaveLength(MANY);
  const sum = 'SELECT coalesce(sum(amount), 0)::text AS sum FROM ledger_entries WHERE account_id = $1';
  const { rows } = await withPostgres((postgres) => postgres.query(sum, [accountId]));
  expect(rows).toEqual([{ sum: '0' }]);
});
