import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf } from '../../stack/api.ts';
import { eventsOf } from '../../stack/billed-customer.ts';
import { linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

/** How much of a charge has gone back, as the API says it (spec/invoices#reversed-amounts). */

let account: TestAccount;
let api: Api;
let customers = 0;
beforeAll(async () => {
  account = await newAccount();
  api = account.api;
});

/** A customer whose first invoice, of 2026-03-01, is paid; the clock stands on day 10. */
async function paidAhead(plan: object, customer: object = {}) {
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `reversed-${customers++}`, { test_clock_id: clock, ...customer });
  const plan_id = await makePlan(api, { charge_timing: 'in_advance', ...plan });
  const subscription = await subscribe(api, { customer_id, plan_id });
  const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
  const invoice_id = String(opening?.invoice_id);
  expect((await api.post(`/api/invoices/${invoice_id}/mark_paid`, {})).status).toBe(200);
  await advance(api, clock, '2026-03-11T00:00:00Z');
  return { clock, customer_id, subscription, invoice_id };
}

/** The reversed amounts of an invoice's lines: retrieved, in its list, and in the list of its lines. */
async function reversedOf(invoice_id: string): Promise<(string | null)[]> {
  const shown = (lines: ReturnType<typeof linesOf>) =>
    lines.map(({ reversed_amount: amount }) => (amount === null ? null : String(amount)));
  const { exact } = await api.get(`/api/invoices/${invoice_id}`);
  const retrieved = shown(linesOf(exact));
  const listed = (await invoicesOf(api, `number=${exact.invoice_number}`)).flatMap((one) => shown(linesOf(one)));
  const lines = shown(itemsOf((await api.get(`/api/invoices/${invoice_id}/lines`)).exact.results));
  expect([listed, lines]).toEqual([retrieved, retrieved]);
  return retrieved;
}

const refund = async (invoice_id: string, more: object = {}) => {
  const answer = await api.post('/api/refunds', { invoice_id, method: 'bank_transfer', ...more });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.refund_id);
};

test('a refund counts without its tax from when it is asked for, and no longer once it is canceled', async () => {
  const { invoice_id } = await paidAhead({ recurring_fee: 9.9 }, { tax_rate: 19 });
  expect(await reversedOf(invoice_id)).toEqual(['0']);
  const [created] = await eventsOf(`invoice/${invoice_id}`);
  expect(created).toMatchObject({ type: 'invoice.created', data: expect.stringContaining('"reversed_amount":0') });
  const refund_id = await refund(invoice_id, { amount: 5 });
  expect(await reversedOf(invoice_id)).toEqual(['4.2']);
  expect((await api.post(`/api/refunds/${refund_id}/cancel`)).status).toBe(200);
  expect(await reversedOf(invoice_id)).toEqual(['0']);
  await refund(invoice_id);
  expect(await reversedOf(invoice_id)).toEqual(['9.9']);
});

test('a refund is shared by what is left of the lines; a cancel takes back the fee', async () => {
  const metric = await makeMetric(api);
  const components = [{ metric_id: metric.metric_id, overage_price: 1, prepaid_units: 10 }];
  const { subscription, invoice_id } = await paidAhead({ recurring_fee: 30, components });
  await refund(invoice_id, { amount: 4 });
  expect(await reversedOf(invoice_id)).toEqual(['3', '1']);
  const terms = { invoicing_behavior: 'invoice_now' };
  expect((await api.post(`/api/subscriptions/${subscription}/cancel`, terms)).status).toBe(200);
  expect(await reversedOf(invoice_id)).toEqual(['23', '1']);
});

test('a downgrade takes back the fee, and fewer units the units', async () => {
  const metric = await makeMetric(api);
  const components = [{ metric_id: metric.metric_id, overage_price: 1, prepaid_units: 10 }];
  const { subscription, invoice_id } = await paidAhead({ recurring_fee: 60, components });
  const units = { metric_id: metric.metric_id, units: 4, invoicing_behavior: 'invoice_now' };
  expect((await api.post(`/api/subscriptions/${subscription}/components/change-prepaid-units`, units)).status).toBe(
    200,
  );
  expect(await reversedOf(invoice_id)).toEqual(['0', '6']);
  const new_plan_id = await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance', components });
  const wanted = { new_plan_id, invoicing_behavior: 'invoice_now' };
  expect((await api.post(`/api/subscriptions/${subscription}/switch_plan`, wanted)).status).toBe(200);
  expect(await reversedOf(invoice_id)).toEqual(['20', '6']);
});

test('late usage below zero takes back the usage of its month, until its invoice is voided', async () => {
  const metric = await makeMetric(api, { aggregation_type: 'sum', property_name: 'v' });
  const components = [{ metric_id: metric.metric_id, overage_price: 1 }];
  const { clock, customer_id } = await paidAhead({ recurring_fee: 100, components });
  const use = async (v: number) => {
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 1, { v });
    await landed(api);
  };
  await use(80);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [, billed] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect((await api.post(`/api/invoices/${billed?.invoice_id}/mark_paid`, {})).status).toBe(200);
  await use(-60);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  const [, march, april] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(linesOf(april).map(({ type, amount }) => `${type} ${amount}`)).toEqual([
    ...['recurring_fee 100', 'usage 0', 'late_usage -60'],
  ]);
  expect(await reversedOf(String(march?.invoice_id))).toEqual(['0', '60']);
  expect(await reversedOf(String(april?.invoice_id))).toEqual(['0', null, null]);
  expect((await api.post(`/api/invoices/${april?.invoice_id}/void`)).status).toBe(200);
  expect(await reversedOf(String(march?.invoice_id))).toEqual(['0', '0']);
});

test('a draft has no reversed amounts', async () => {
  const { customer_id } = await paidAhead({ recurring_fee: 10 });
  const { exact } = await api.get(`/api/customers/${customer_id}/draft_invoice/`);
  expect(linesOf(exact).map((line) => line.reversed_amount)).toEqual([null]);
});
