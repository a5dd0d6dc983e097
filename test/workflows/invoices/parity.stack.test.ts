import { beforeAll, expect, test } from 'vitest';
import { eraseUsage } from '../../../services/usage/erase-usage.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json, stack } from '../../stack/api.ts';
import { linesOf, trackCalls } from '../../stack/bills.ts';
import { checkParity } from '../../stack/check-parity.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { connectActivities } from '../activity-fixture.ts';
import { advance } from '../in-process-clock.ts';

let account: TestAccount;
let invoices: Json[];

/** Two months of tiers, a filter, a maximum, prepaid units, tax, a pause and late usage. */
beforeAll(async () => {
  account = await newAccount();
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const fields = { test_clock_id: clock, timezone: 'Europe/Berlin', tax_rate: 19 };
  const customer_id = await makeCustomer(api, 'acme', fields);
  const calls = await makeMetric(api, { time_filter: { hours: { from: 8, to: 18 } } });
  const peak = await makeMetric(api, { metric_name: 'Peak', aggregation_type: 'max', property_name: 'n' });
  const tiers = [
    { up_to: 3, unit_price: 0.5, flat_fee: 1 },
    { up_to: null, unit_price: 0.125 },
  ];
  const components = [
    { metric_id: calls.metric_id, pricing_model: 'tiered', tiers, free_tier: 2 },
    { metric_id: peak.metric_id, overage_price: 0.003, rounding: 'round_up', prepaid_units: 5 },
  ];
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, { components }) });
  await trackCalls(api, customer_id, '2026-03-05T09:00:00Z', 7, { n: 9.25 });
  await landed(api);
  await advance(api, clock, '2026-03-10T00:00:00Z');
  expect((await api.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
  await trackCalls(api, customer_id, '2026-03-11T09:00:00Z', 3, { n: 100 });
  await landed(api);
  await advance(api, clock, '2026-03-12T00:00:00Z');
  expect((await api.post(`/api/subscriptions/${subscription}/resume`)).status).toBe(200);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-06T09:00:00Z', 2, { n: 12 });
  await landed(api);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  // Sent when all is billed: no invoice counts it, and no check does.
  await trackCalls(api, customer_id, '2026-03-07T09:00:00Z', 1, { n: 50 });
  await landed(api);
  invoices = await invoicesOf(api, `customer_id=${customer_id}`);
});

const differences = async () =>
  (await account.api.get('/api/invoices/parity')).exact as { count: unknown; results: Json };

test('a good account has no differences', async () => {
  const types = new Set(invoices.flatMap((invoice) => linesOf(invoice).map((line) => String(line.type))));
  expect([...types].sort()).toEqual(['late_usage', 'prepaid_units', 'recurring_fee', 'usage']);
  expect(await checkParity(account.accountId)).toEqual({ checked: invoices.length, differences: 0 });
  expect(await differences()).toMatchObject({ count: '0', results: [] });
});

test('a line that somebody changed is found, told, and forgotten when it is right again', async () => {
  const invoice = invoices.find((one) => linesOf(one).some((line) => String(line.type) === 'late_usage'));
  const line = linesOf(invoice).find(({ type }) => String(type) === 'usage') as Json;
  const change = (field: string, by: number) =>
    withPostgres((postgres) =>
      postgres.query(`UPDATE invoice_lines SET ${field} = ${field} + $2 WHERE line_id = $1`, [line.line_id, by]),
    );
  await change('amount', 0.01);
  await change('quantity', 1);
  expect(await checkParity(account.accountId)).toMatchObject({ differences: 2 });
  const { results } = await differences();
  const of = { invoice_id: invoice?.invoice_id, invoice_number: invoice?.invoice_number, line_id: line.line_id };
  const found = [...itemsOf(results)].sort((a, b) => String(a.field).localeCompare(String(b.field)));
  expect(found).toMatchObject([
    { ...of, field: 'amount', recomputed: line.amount },
    { ...of, field: 'quantity', recomputed: line.quantity },
  ]);
  const other = await newAccount();
  expect((await other.api.get('/api/invoices/parity')).body.count).toBe(0);
  await change('amount', -0.01);
  await change('quantity', -1);
  expect(await checkParity(account.accountId)).toMatchObject({ differences: 0 });
  expect(await differences()).toMatchObject({ count: '0' });
});

test('a customer that is deleted and erased while its invoice is checked has no differences', async () => {
  const { accountId, api } = account;
  const [{ subscription_id } = {}] = itemsOf((await api.get('/api/subscriptions?customer_id=acme')).body.results);
  expect((await api.post(`/api/subscriptions/${subscription_id}/cancel`)).status).toBe(200);
  const found = await checkParity(accountId, async () => {
    const deleted = await api.post('/api/customers/acme/delete/');
    expect(deleted.status, deleted.text).toBeLessThan(300);
    const { dependencies, close } = await connectActivities();
    await eraseUsage(dependencies, { accountId, customerId: 'acme' });
    await close();
  });
  expect(found).toMatchObject({ differences: 0 });
});

test('it runs every night', async () => {
  const answer = await fetch(`${stack().temporal_ui_url}/api/v1/namespaces/default/schedules/parity`);
  const { schedule } = (await answer.json()) as { schedule: { action: { startWorkflow: Json } } };
  expect(schedule.action.startWorkflow.workflowType).toEqual({ name: 'parity' });
});
