import { expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { draftOf } from '../../stack/bills.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** The draft with every id replaced by its kind and the place where it first comes up: two runs then have the same text. */
function withoutIds(draft: Json): Json {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (id: string) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const kind = id.slice(0, id.indexOf('_'));
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    names.set(id, `${kind}-${n}`);
    return `${kind}-${n}`;
  };
  const text = JSON.stringify({ ...draft, as_of: undefined });
  return JSON.parse(text.replaceAll(/\b(sub|plan|metric|addon|credit|line|inv|clock)_[0-9A-Za-z]{16,}/g, nameOf));
}

/** Each bill's head, and below it its lines, one row each; fields in order of their names. */
function asText(draft: Json): string {
  const bills = [draft, ...itemsOf(draft.invoices)];
  const texts = bills.map(({ lines, invoices: _, ...head }) => [head, ...itemsOf(lines)].map(asRow).join('\n'));
  return `${texts.join('\n\n')}\n`;
}

function asRow(row: Json): string {
  const inOrder = (_: string, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(row, inOrder);
}

async function done(api: Api, path: string, body: object): Promise<void> {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
}

/** Calls of two users and a host on a day, with sizes and a load: for metrics of all four aggregations. */
async function use(api: Api, customer_id: string, day: string, calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) {
    const properties = { size: `${i}.25`, load: 10 * calls - i, user: `u${i % 2}-${day.slice(5, 7)}` };
    await track(api, { customer_id, time_created: `${day}T0${i % 10}:00:00Z`, properties });
  }
}

test('a customer with subscriptions of every kind: the draft is what it has always been', async () => {
  const { api } = await newAccount();
  const metric = async (name: string, more: object) =>
    String((await makeMetric(api, { metric_name: name, ...more })).metric_id);
  const calls = await metric('Calls', {});
  const size = await metric('Size', { aggregation_type: 'sum', property_name: 'size' });
  const load = await metric('Load', { aggregation_type: 'max', property_name: 'load' });
  const users = await metric('Users', { aggregation_type: 'unique', property_name: 'user' });
  const nights = await metric('Nights', { time_filter: { hours: { from: 0, to: 5 } } });
  const large = await metric('Large', {
    numeric_filters: [{ property_name: 'size', operator: 'gte', comparison_value: 2 }],
  });
  const priced = (metric_id: string, overage_price: number, more: object = {}) => ({
    metric_id,
    overage_price,
    ...more,
  });

  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'varied', {
    test_clock_id: clock,
    tax_rate: 10,
    timezone: 'Europe/Berlin',
  });
  const plan = (name: string, more: object) => makePlan(api, { name, recurring_fee: 30, ...more });
  const ahead = { charge_timing: 'in_advance' };
  const subscribeTo = async (name: string, more: object, terms: object = {}) =>
    subscribe(api, { customer_id, plan_id: await plan(name, more), start_date: '2026-03-01', ...terms });

  const plain = await subscribeTo('Plain', { components: [priced(calls, 0.5), priced(size, 0.1), priced(nights, 1)] });
  const prepaying = await subscribeTo('Prepaying', {
    ...ahead,
    components: [priced(calls, 0.5, { prepaid_units: 3 }), priced(load, 0.01), priced(users, 2)],
  });
  const canceling = await subscribeTo('Canceling', { ...ahead, recurring_fee: 60, components: [priced(large, 1)] });
  const pausing = await subscribeTo('Pausing', { components: [priced(calls, 0.25)] });
  const carrying = await subscribeTo('Carrying', { components: [priced(calls, 1), priced(users, 3)] });
  const closing = await subscribeTo('Closing', { components: [priced(calls, 2), priced(size, 1)] });
  const ending = await subscribeTo('Ending', { ...ahead, components: [priced(calls, 0.75)] });
  const switched = await subscribeTo('Switched', { components: [priced(calls, 4), priced(load, 1)] });
  const downgrading = await subscribeTo('Downgrading', { ...ahead, recurring_fee: 90, components: [priced(users, 1)] });
  const gone = await subscribeTo('Gone', { components: [priced(calls, 5)] });
  await subscribeTo('Quarterly', { billing_period: 'quarterly', components: [priced(calls, 0.1)] });
  await subscribeTo('Pending', { ...ahead, components: [priced(calls, 1)] }, { start_date: '2026-05-01' });
  for (const [kind, price] of [
    ['recurring', 5],
    ['quantity', 2],
    ['one_time', 9],
  ] as const) {
    const addon = await api.post('/api/addons', { name: `A ${kind} one`, kind, price });
    const attached = { addon_id: addon.body.addon_id, ...(kind === 'quantity' && { quantity: 3 }) };
    await done(api, `/api/subscriptions/${plain}/addons/attach`, attached);
  }
  await use(api, customer_id, '2026-03-10', 5);
  await landed(api);
  await advance(api, clock, '2026-03-20T10:00:00Z');
  await done(api, `/api/subscriptions/${pausing}/pause`, { reason: 'holiday' });
  await advance(api, clock, '2026-04-02T00:00:00Z');

  // Late for the period that is closed, and for the one that ended in the pause; then on both sides of the changes.
  await use(api, customer_id, '2026-03-12', 4);
  await use(api, customer_id, '2026-04-01', 6);
  await landed(api);
  await advance(api, clock, '2026-04-08T12:00:00Z');
  const other = await plan('Other', { recurring_fee: 45, components: [priced(calls, 3), priced(size, 0.5)] });
  const reset = { usage_behavior: 'reset_usage', invoicing_behavior: 'add_to_next_invoice' };
  await done(api, `/api/subscriptions/${switched}/switch_plan/`, { new_plan_id: other, ...reset });
  await done(api, `/api/subscriptions/${gone}/cancel`, { invoicing_behavior: 'add_to_next_invoice' });
  await done(api, `/api/subscriptions/${prepaying}/components/change-prepaid-units`, { metric_id: calls, units: 8 });
  await done(api, '/api/credits', { customer_id, amount: 20, description: 'Sorry' });
  const planned = async (id: string, name: string, effective_date: string, more: object, terms: object = {}) =>
    done(api, `/api/subscriptions/${id}/switch_plan/`, {
      new_plan_id: await plan(name, more),
      effective_date,
      ...terms,
    });
  await planned(carrying, 'Dearer', '2026-04-20', {
    recurring_fee: 75,
    components: [priced(calls, 1), priced(load, 2, { prepaid_units: 5 })],
  });
  await planned(closing, 'Yearly', '2026-04-21', {
    ...ahead,
    billing_period: 'yearly',
    components: [priced(calls, 1)],
  });
  await planned(ending, 'Last day', '2026-04-30', { ...ahead, recurring_fee: 12, components: [priced(size, 1)] });
  await planned(
    downgrading,
    'Cheaper',
    '2026-04-18',
    { ...ahead, components: [priced(users, 1)] },
    { invoicing_behavior: 'invoice_now' },
  );
  await done(api, `/api/subscriptions/${canceling}/cancel`, {
    effective_date: '2026-04-19',
    flat_fee_behavior: 'charge_prorated',
    invoicing_behavior: 'invoice_now',
  });
  await use(api, customer_id, '2026-04-09', 7);
  // For the one that has ended, and for the one that was switched.
  await use(api, customer_id, '2026-04-03', 2);
  await landed(api);
  await advance(api, clock, '2026-04-10T12:00:00Z');
  await expect(asText(withoutIds(await draftOf(api, customer_id)))).toMatchFileSnapshot('./draft-of-many.txt');
});
