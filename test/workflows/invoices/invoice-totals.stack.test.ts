import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric, posted } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

let account: TestAccount;
beforeEach(async () => {
  account = await newAccount();
});

async function told(invoiceId: unknown): Promise<string[]> {
  const sql = 'SELECT type FROM outbox_events WHERE subject = $1 ORDER BY seq';
  const { rows } = await withPostgres((postgres) => postgres.query<{ type: string }>(sql, [`invoice/${invoiceId}`]));
  return rows.map(({ type }) => type);
}

// "A boundary always makes its invoice, also at zero"; "Zero due: `paid` at once" (spec/subscriptions#invoices-on-schedule, spec/invoices#states)
test('a boundary with nothing to bill makes an invoice of zero, paid at once', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'zero', { test_clock_id: clock, tax_rate: 20 });
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 0 }) });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [invoice, ...others] = await invoicesOf(api, `subscription_id=${subscription}`);
  expect(others).toEqual([]);
  const zero = { charges_subtotal: '0', subtotal: '0', tax_amount: '0', total: '0', amount_due: '0', amount_paid: '0' };
  expect(invoice).toMatchObject({
    kind: 'period',
    status: 'paid',
    lines: [],
    paid_at: '2026-03-31T00:00:00.000Z',
    ...zero,
  });
  expect(await told(invoice?.invoice_id)).toEqual(['invoice.created', 'invoice.paid']);
});

// "A negative `total` becomes 0 due and an overpayment credit of the rest" (spec/invoices#states)
test('what a negative total leaves pays for the next invoice', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'negative', { test_clock_id: clock, tax_rate: 20 });
  const { metric_id } = await makeMetric(api, { aggregation_type: 'sum', property_name: 'gb' });
  const components = [{ metric_id, overage_price: 1.5 }];
  const plan_id = await makePlan(api, { recurring_fee: 0, components });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 1, { gb: 10 });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [open] = await invoicesOf(api, `subscription_id=${subscription}`);
  await posted(api, `/api/invoices/${open?.invoice_id}/mark_paid`);
  // Late: 10 -> 4 GB, -9. April itself: 2 GB, 3. So -6, tax -1.2.
  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 1, { gb: -6 });
  await trackCalls(api, customer_id, '2026-04-05T00:00:00Z', 1, { gb: 2 });
  await advance(api, clock, '2026-05-01T00:00:00Z');
  // May: 8 GB, 12, tax 2.4; 7.2 of it are paid by the credit.
  await trackCalls(api, customer_id, '2026-05-05T00:00:00Z', 1, { gb: 8 });
  await advance(api, clock, '2026-06-01T00:00:00Z');
  const [march, april, may] = await invoicesOf(api, `subscription_id=${subscription}`);
  expect(march).toMatchObject({ total: '18', status: 'paid' });
  expect(april).toMatchObject({ subtotal: '-6', tax_amount: '-1.2', total: '-7.2', amount_due: '0', status: 'paid' });
  expect(rowsOf(may)).toEqual(['usage x8 12 from 2026-04-30', 'credit -7.2']);
  expect(may).toMatchObject({
    charges_subtotal: '12',
    subtotal: '12',
    total: '14.4',
    credits_applied: '7.2',
    amount_due: '7.2',
    status: 'open',
  });
  const ledger = `SELECT ledger_account, sum(amount)::text AS sum FROM ledger_entries e
    JOIN ledger_transactions t USING (account_id, ledger_transaction_id)
    WHERE e.account_id = $1 AND t.customer_id = $2 GROUP BY 1 HAVING sum(amount) <> 0 ORDER BY 1`;
  const { rows } = await withPostgres((postgres) => postgres.query(ledger, [account.accountId, customer_id]));
  // Paid: 18. Owed: 7.2. Earned: 15 - 6 + 12 = 21, tax 3 - 1.2 + 2.4.
  expect(rows.map(({ ledger_account, sum }) => `${ledger_account} ${Number(sum)}`)).toEqual([
    'accounts_receivable 7.2',
    'cash 18',
    'revenue -21',
    'tax_payable -4.2',
  ]);
});

describe('the opening invoice', () => {
  test('is made once, however often the creation is repeated', async () => {
    const { api } = account;
    const customer_id = await makeCustomer(api, 'repeated');
    const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
    const key = { 'Idempotency-Key': newId('req') };
    const create = () => api.post('/api/subscriptions', { customer_id, plan_id }, key);
    const answers = await Promise.all(Array.from({ length: 10 }, create));
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await create()).status).toBe(201);
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices.map(({ kind }) => kind)).toEqual(['opening']);
    expect(await told(invoices[0]?.invoice_id)).toEqual(['invoice.created']);
  });

  test('is not made where the creation is refused', async () => {
    const { api } = account;
    const customer_id = await makeCustomer(api, 'twice');
    const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
    await subscribe(api, { customer_id, plan_id });
    expect((await api.post('/api/subscriptions', { customer_id, plan_id })).status).toBe(409);
    expect(await invoicesOf(api, `customer_id=${customer_id}`)).toHaveLength(1);
  });
});

test('a tier of more decimals than a caller may send is on the invoice as exactly as it was computed', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'exact', { test_clock_id: clock });
  const { metric_id } = await makeMetric(api, { aggregation_type: 'sum', property_name: 'gb' });
  const tiers = [{ up_to: null, unit_price: '0.000000000003' }];
  const plan_id = await makePlan(api, { components: [{ metric_id, pricing_model: 'tiered', tiers }] });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 1, { gb: '2.000000000000000001' });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [invoice] = await invoicesOf(api, `subscription_id=${subscription}`);
  const usage = linesOf(invoice).find(({ type }) => String(type) === 'usage');
  expect(usage?.tiers).toMatchObject([{ amount: '0.000000000006000000000000000003' }]);
  expect((await api.get(`/api/invoices/${invoice?.invoice_id}`)).exact).toEqual(invoice);
});
