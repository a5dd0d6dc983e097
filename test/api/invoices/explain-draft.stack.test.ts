import { beforeAll, expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import type { Api, Json } from '../../stack/api.ts';
import { draftOf, linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

const TIERS = [
  { up_to: 3, unit_price: 0.5, flat_fee: 1 },
  { up_to: null, unit_price: 0.125 },
];

let api: Api;
let clock: string;
let metricId: unknown;
let subscriptionId: string;

/** March is billed for 5 calls of which 2 were paid ahead; 3 more came late; April has 7. A grace of a day. */
beforeAll(async () => {
  api = (await newAccount()).api;
  await api.patch('/api/account', { invoice_grace_seconds: 86_400 });
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'acme', { test_clock_id: clock, timezone: 'Europe/Berlin' });
  metricId = (await makeMetric(api, { time_filter: { hours: { from: 8, to: 18 } } })).metric_id;
  const components = [{ metric_id: metricId, pricing_model: 'tiered', tiers: TIERS, prepaid_units: 2 }];
  subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api, { components }) });
  await trackCalls(api, customer_id, '2026-03-05T09:00:00Z', 5);
  await trackCalls(api, customer_id, '2026-03-05T22:00:00Z', 1);
  await landed(api);
  await advance(api, clock, '2026-04-10T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-06T09:00:00Z', 3);
  await trackCalls(api, customer_id, '2026-04-05T09:00:00Z', 7);
  await landed(api);
});

async function explained(query: object): Promise<Json> {
  const asked = new URLSearchParams({ subscription_id: subscriptionId, metric_id: String(metricId), ...query });
  const answer = await api.get(`/api/customers/acme/draft_invoice/explain?${asked}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

const eventsOf = (explanation: Json) => (explanation.events as unknown as Json).results as unknown as Json[];
const stepsOf = (explanation: Json) => explanation.steps as unknown as { text: string; value: string }[];

test('each line of the draft: its steps lead to its amount, its events are those it counts', async () => {
  const lines = linesOf(await draftOf(api, 'acme')).filter(({ metric_id }) => metric_id !== null);
  expect(lines.map(({ type }) => String(type)).sort()).toEqual(['late_usage', 'prepaid_units', 'usage']);
  for (const line of lines) {
    const explanation = await explained({ type: line.type });
    expect(explanation).toMatchObject({ invoice_id: null, invoice_number: null, line_id: null, currency: 'USD' });
    expect([explanation.total, stepsOf(explanation).at(-1)?.value]).toEqual([line.amount, line.amount]);
    const events = explanation.events && String(eventsOf(explanation).length);
    expect([line.type, events]).toEqual([line.type, line.events_count]);
  }
});

test('what it says is what the issued line says, once it is issued', async () => {
  const [usage, late] = [await explained({}), await explained({ type: 'late_usage' })];
  // 7 calls: 3 * 0.5 + 1 = 2.5, 4 * 0.125 = 0.5; the 2 paid ahead cost 2.00
  expect(stepsOf(usage).map(({ text, value }) => `${text} = ${value}`)).toEqual([
    "The metric's value = 7",
    'Tier up to 3: 3 × 0.5 + 1 for the tier = 2.5',
    'Last tier: 4 × 0.125 = 0.5',
    'The sum of the tiers = 3',
    'Minus 2, the price of 2 units paid ahead, not below 0 = 1',
    'Rounded to 2 decimals, half away from zero = 1',
  ]);
  expect(usage.window).toMatchObject({ time_zone: 'Europe/Berlin', position_above: null, position_up_to: null });
  expect(late.window).toMatchObject({ position_above: expect.stringMatching(/^\d+$/), position_up_to: null });

  await advance(api, clock, '2026-05-02T00:00:00Z');
  const issued = (await invoicesOf(api, 'customer_id=acme&kind=period')).at(-1);
  for (const drafted of [usage, late]) {
    const line = linesOf(issued).find(({ type }) => String(type) === String(drafted.type));
    const path = `/api/invoices/${issued?.invoice_id}/lines/${line?.line_id}/explain`;
    const { invoice_id: _, invoice_number: __, line_id: ___, window, ...rest } = (await api.get(path)).exact;
    expect({ ...drafted, ...rest }).toEqual(drafted);
    expect({ ...(window as unknown as Json), position_up_to: null }).toEqual(drafted.window);
  }
});

test('of a pending invoice and of the period after it, each by its start; without it the later one', async () => {
  await trackCalls(api, 'acme', '2026-05-20T09:00:00Z', 1);
  await landed(api);
  const ended = linesOf((await invoicesOf(api, 'customer_id=acme&kind=period')).at(-1));
  const start = ended.find(({ type }) => String(type) === 'usage')?.period_end;
  await advance(api, clock, '2026-05-30T00:00:00Z');
  const lines = linesOf(await draftOf(api, 'acme')).filter(({ type }) => String(type) === 'usage');
  expect(lines.map(({ quantity }) => quantity).sort()).toEqual(['0', '1']);
  expect(await explained({ period_start: start })).toMatchObject({ quantity: '1', window: { start } });
  expect(await explained({})).toMatchObject({ quantity: '0', events: { results: [] } });
});

test('its events come page by page', async () => {
  const other = await makeCustomer(api, 'paged', {});
  const plan_id = await makePlan(api, { components: [{ metric_id: metricId, overage_price: 1 }] });
  const subscription_id = await subscribe(api, { customer_id: other, plan_id });
  const noon = `${new Date().toISOString().slice(0, 10)}T12:00:00Z`;
  await trackCalls(api, other, noon, 5);
  await landed(api);
  const query = new URLSearchParams({ subscription_id, metric_id: String(metricId), limit: '2' });
  const seen: string[] = [];
  for (let next = `/api/customers/paged/draft_invoice/explain?${query}`; next !== 'null'; ) {
    const { events } = (await api.get(next)).body;
    const { results, next: after } = events as unknown as { results: Json[]; next: string | null };
    seen.push(...results.map(({ idempotency_id }) => String(idempotency_id)));
    next = String(after);
  }
  expect(new Set(seen).size).toBe(5);
});

test.each([
  ['nobody', {}, 404],
  ['acme', { subscription_id: 'sub_none' }, 404],
  ['acme', { metric_id: 'metric_none' }, 404],
  ['acme', { type: 'late_usage', period_start: '2020-01-01T00:00:00Z' }, 404],
  ['acme', { metric_id: '' }, 422],
  ['acme', { type: 'recurring_fee' }, 422],
  ['acme', { period_start: '2026-01-01' }, 422],
  ['acme', { limit: '201' }, 422],
])('of %s, %j is refused', async (customer, query, status) => {
  const asked = new URLSearchParams({ subscription_id: subscriptionId, metric_id: String(metricId), ...query });
  expect((await api.get(`/api/customers/${customer}/draft_invoice/explain?${asked}`)).status).toBe(status);
});
