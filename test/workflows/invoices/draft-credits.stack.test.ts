import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** What a boundary gives back before its invoice, and the dates that credits are judged by: the draft has them all. */
let account: TestAccount;
let metric_id: string;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

/** A fee of 30 ahead and 0.5 per call, from 2026-03-01 (to 03-31), 10 percent tax; the opening invoice of 33 is paid by hand. */
async function fixture(plan: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `d${customers++}`, { test_clock_id: clock, tax_rate: 10 });
  const components = [{ metric_id, overage_price: 0.5 }];
  const terms = { recurring_fee: 30, components, charge_timing: 'in_advance', ...plan };
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, terms) });
  const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
  if (opening) expect((await api.post(`/api/invoices/${opening.invoice_id}/mark_paid`)).status).toBe(200);
  await trackCalls(api, customer_id, '2026-03-02T00:00:00Z', 60);
  await landed(api);
  await advance(api, clock, '2026-03-10T12:00:00Z');
  return { clock, customer_id, subscription };
}

/** The bill without the ids of credits, which a draft cannot know yet. */
function withoutCreditIds(invoice: Json | undefined) {
  const { lines, ...bill } = billOf(invoice);
  return { ...bill, lines: lines.map(({ credit_id: _, ...line }) => line) };
}

test('a planned cancel: the fee that it gives back pays for the closing invoice in the draft as in the end', async () => {
  const { clock, customer_id, subscription } = await fixture();
  const { api } = account;
  // 2026-03-21: 10 of 30 days remain. Given back: 10 and 1 of tax. Calls: 60 * 0.5 = 30, tax 3; 33 - 11 = 22 due.
  expect(
    (
      await api.post(`/api/subscriptions/${subscription}/cancel`, {
        cancel_at: '2026-03-21',
        invoicing_behavior: 'invoice_now',
      })
    ).status,
  ).toBe(200);
  const draft = await draftOf(api, customer_id);
  expect(rowsOf(draft)).toEqual(['usage x60 30 from 2026-03-01', 'credit -11']);
  expect(draft).toMatchObject({
    charges_subtotal: '30',
    amount_due: '22',
    issue_date: '2026-03-21',
    due_date: '2026-03-21',
  });
  expect(linesOf(draft).at(-1)).toMatchObject({ credit_id: null });
  await advance(api, clock, '2026-03-22T00:00:00Z');
  const closing = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
  expect(withoutCreditIds(closing)).toEqual(withoutCreditIds(draft));
  expect(closing).toMatchObject({ amount_due: '22', issue_date: '2026-03-21' });
});

test('a planned downgrade: its credit is on the next invoice in the draft as in the end', async () => {
  const { clock, customer_id, subscription } = await fixture({ charge_timing: 'in_arrears' });
  const { api } = account;
  const new_plan_id = await makePlan(api, {
    name: 'Less',
    recurring_fee: 15,
    components: [{ metric_id, overage_price: 0.5 }],
  });
  const planned = { new_plan_id, effective_date: '2026-03-21' };
  expect((await api.post(`/api/subscriptions/${subscription}/switch_plan/`, planned)).status).toBe(200);
  // The period's fee stays 30; given back (30 - 15) * 10 / 30 = 5 and 0.5 of tax. (30 + 30) * 1.1 - 5.5 = 60.5.
  const draft = await draftOf(api, customer_id);
  expect(draft).toMatchObject({ subtotal: '60', credits_applied: '5.5', amount_due: '60.5', issue_date: '2026-03-31' });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const period = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
  expect(period).toMatchObject({
    subtotal: '60',
    credits_applied: '5.5',
    amount_due: '60.5',
    issue_date: '2026-03-31',
  });
});

test('a credit whose last day comes before the invoice is not in the draft', async () => {
  const { clock, customer_id } = await fixture({ charge_timing: 'in_arrears' });
  const { api } = account;
  const give = (expires_at: string) => api.post('/api/credits', { customer_id, amount: 7, expires_at });
  expect([(await give('2026-03-30')).status, (await give('2026-03-31')).status]).toEqual([201, 201]);
  const draft = await draftOf(api, customer_id);
  expect(draft).toMatchObject({ credits_applied: '7', issue_date: '2026-03-31' });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const period = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
  expect(withoutCreditIds(period)).toEqual(withoutCreditIds(draft));
});
