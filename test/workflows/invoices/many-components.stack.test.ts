import { expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import { newAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { allLines, draftOf, trackCalls } from '../../stack/bills.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2024, 0, 1);

/** Periods of 30 days: `closed` ones that were billed, then `waiting` ones that end in a pause; each component has `filters`. */
const FIXTURE = { components: howMany(60, 200), filters: 40, closed: 13, waiting: 13 };

const dayOf = (day: number) => new Date(START + day * DAY_MS).toISOString();

/**
 * One resume asks for the usage of every component in every period that waited, and in every closed one for which events came
 * late: thousands of questions, more than fit into one statement.
 */
test('a resume closes however many periods of however many components wait, late usage included', async () => {
  const { components, filters, closed, waiting } = FIXTURE;
  const { api } = await newAccount();
  const clock = await makeClock(api, dayOf(0));
  const customer_id = await makeCustomer(api, 'many', { test_clock_id: clock });
  const each = <T>(of: (i: number) => T) => Array.from({ length: filters / 2 }, (_, i) => of(i));
  const numeric_filters = each((i) => ({ property_name: `number_${i}`, operator: 'gt', comparison_value: i }));
  const categorical_filters = each((i) => ({
    property_name: `text_${i}`,
    operator: 'isnotin',
    comparison_value: ['x'],
  }));
  const properties = Object.fromEntries(each((i) => [`number_${i}`, i + 0.5]));
  const metrics = await Promise.all(
    Array.from({ length: components }, (_, i) =>
      makeMetric(api, { metric_name: `m${i}`, numeric_filters, categorical_filters }),
    ),
  );
  const priced = metrics.map(({ metric_id }) => ({ metric_id, overage_price: 0.5 }));
  const plan_id = await makePlan(api, { recurring_fee: 0, components: priced });
  const subscription = await subscribe(api, { customer_id, plan_id });
  const path = `/api/subscriptions/${subscription}`;

  await advance(api, clock, dayOf(30 * closed + 10));
  await trackCalls(api, customer_id, dayOf(30 * closed + 5), 3, properties);
  expect((await api.post(`${path}/pause`)).status).toBe(200);
  for (let period = 0; period < closed; period++)
    await trackCalls(api, customer_id, dayOf(30 * period + 1), period + 1, properties);
  await landed(api);
  await advance(api, clock, dayOf(30 * (closed + waiting) + 1));

  const draft = await draftOf(api, customer_id);
  const key = { 'Idempotency-Key': 'resume' };
  const resumed = await eventually(
    () => api.post(`${path}/resume`, {}, key),
    // A call that takes longer than a caller waits goes on, and is asked for again.
    ({ status }) => status !== 503 && status !== 409,
  );
  expect(resumed.status, resumed.text).toBe(200);

  const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
  const billed = invoices.filter(({ total }) => String(total) !== '0');
  expect(invoices).toHaveLength(closed + 1);
  expect(billed).toHaveLength(1);
  const lines = (await allLines(api, String(billed[0]?.invoice_id))).filter(({ amount }) => String(amount) !== '0');
  const quantities = (type: string) =>
    lines.filter((line) => String(line.type) === type).map(({ quantity }) => quantity);
  expect(quantities('usage')).toEqual(Array(components).fill('3'));
  expect(quantities('late_usage').toSorted()).toEqual(
    Array.from({ length: closed }, (_, period) => Array(components).fill(String(period + 1)))
      .flat()
      .toSorted(),
  );
  // Calls at 0.5: 3 in the period of the pause, 1 + 2 + ... late ones.
  expect(billed[0]?.total).toBe(String(components * 0.5 * (3 + (closed * (closed + 1)) / 2)));
  expect(itemsOf(draft.invoices).map(({ condition, total }) => [condition, total])).toContainEqual([
    'on_resume',
    billed[0]?.total,
  ]);
});
