import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

const TIERS = [
  { up_to: 3, unit_price: 0.5, flat_fee: 1 },
  { up_to: null, unit_price: 0.125 },
];

let api: Api;
let invoices: Json[];

/** March: seven calls in working hours in Berlin, one at night, one of another region; in April two more for March. */
beforeAll(async () => {
  api = (await newAccount()).api;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'acme', { test_clock_id: clock, timezone: 'Europe/Berlin' });
  const calls = await makeMetric(api, {
    categorical_filters: [{ property_name: 'region', operator: 'isin', comparison_value: ['eu'] }],
    time_filter: { hours: { from: 8, to: 18 } },
  });
  const bytes = await makeMetric(api, { metric_name: 'Bytes', aggregation_type: 'sum', property_name: 'bytes' });
  const components = [
    { metric_id: calls.metric_id, pricing_model: 'tiered', tiers: TIERS, free_tier: 2 },
    { metric_id: bytes.metric_id, overage_price: 0.003, rounding: 'round_up', prepaid_units: 5 },
  ];
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { components }) });
  await trackCalls(api, customer_id, '2026-03-05T09:00:00Z', 7, { region: 'eu', bytes: 1.5 });
  await trackCalls(api, customer_id, '2026-03-05T22:00:00Z', 1, { region: 'eu' });
  await trackCalls(api, customer_id, '2026-03-05T09:00:00Z', 1, { region: 'us' });
  await landed(api);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-06T07:00:00Z', 2, { region: 'eu', bytes: '10' });
  await landed(api);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  // Sent when all is billed: no line counts it.
  await track(api, { customer_id, time_created: '2026-03-07T09:00:00Z', properties: { region: 'eu', bytes: 1 } });
  await landed(api);
  invoices = await invoicesOf(api, `customer_id=${customer_id}`);
});

async function explained(invoice: Json, line: Json, query = ''): Promise<Json> {
  const answer = await api.get(`/api/invoices/${invoice.invoice_id}/lines/${line.line_id}/explain${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

const stepsOf = (explanation: Json) => itemsOf(explanation.steps);
const lineOf = (invoice: Json | undefined, type: string, i = 0) =>
  linesOf(invoice).filter((line) => String(line.type) === type)[i] as Json;

describe('GET /api/invoices/<id>/lines/<line_id>/explain', () => {
  test("the total and the last step equal the line's amount, and the events its count, for every line", async () => {
    let lines = 0;
    for (const invoice of invoices) {
      for (const line of linesOf(invoice)) {
        const explanation = await explained(invoice, line, '?limit=200');
        expect(explanation.total).toBe(line.amount);
        expect(stepsOf(explanation).at(-1)?.value).toBe(line.amount);
        const events = explanation.events as Json | null;
        expect([line.type, events && String(itemsOf(events.results).length)]).toEqual([line.type, line.events_count]);
        lines++;
      }
    }
    // Opening: prepaid; March: fee, prepaid, two usages; April: those and two late lines.
    expect(lines).toBe(11);
  });

  test('a usage line: metric, window up to the usage cutoff, steps', async () => {
    const [, march] = invoices as [Json, Json];
    const explanation = await explained(march, lineOf(march, 'usage'));
    // 7 - 2 free = 5: 3 * 0.5 + 1 = 2.5, 2 * 0.125 = 0.25
    expect(stepsOf(explanation).map(({ text, value }) => `${text} = ${value}`)).toEqual([
      "The metric's value = 7",
      'Minus 2 free units, not below 0 = 5',
      'Tier up to 3: 3 × 0.5 + 1 for the tier = 2.5',
      'Last tier: 2 × 0.125 = 0.25',
      'The sum of the tiers = 2.75',
      'Rounded to 2 decimals, half away from zero = 2.75',
    ]);
    expect(explanation).toMatchObject({
      invoice_number: march.invoice_number,
      type: 'usage',
      currency: 'USD',
      quantity: '7',
      events_count: '7',
      metric: { event_name: 'call', time_filter: { hours: { from: '8', to: '18' } } },
      window: {
        start: '2026-02-28T23:00:00.000Z',
        end: '2026-03-30T22:00:00.000Z',
        time_zone: 'Europe/Berlin',
        position_above: null,
        position_up_to: expect.stringMatching(/^\d+$/),
      },
      component: { pricing_model: 'tiered', free_tier: '2' },
      prepaid_units: '0',
    });
  });

  test('a late_usage line: only the events that came late', async () => {
    const april = invoices[2] as Json;
    const explanation = await explained(april, lineOf(april, 'late_usage', 1));
    // March: 10.5 -> 11 of which 5 were prepaid; now 30.5 -> 31: 26 * 0.003 = 0.078, before 6 * 0.003 = 0.018
    expect(stepsOf(explanation).at(-1)?.text).toBe('0.08 − 0.02, what was billed before');
    expect(explanation.quantity).toBe('20');
    expect(explanation.window).toMatchObject({ position_above: expect.stringMatching(/^\d+$/) });
    expect(itemsOf(explanation.events?.results).map(({ time_created }) => time_created)).toEqual(
      Array(2).fill('2026-03-06T07:00:00.000Z'),
    );
  });

  test('its events come page by page, each once', async () => {
    const march = invoices[1] as Json;
    const line = lineOf(march, 'usage');
    const seen: string[] = [];
    let query = '?limit=3';
    for (let pages = 1; ; pages++) {
      const { results, next, next_cursor } = (await explained(march, line, query)).events as Json;
      seen.push(...itemsOf(results).map(({ idempotency_id }) => String(idempotency_id)));
      if (next === null) {
        expect([pages, next_cursor]).toEqual([3, null]);
        break;
      }
      const { searchParams, search } = new URL(String(next));
      expect([searchParams.get('limit'), searchParams.get('cursor')]).toEqual(['3', next_cursor]);
      query = search;
    }
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
  });

  test('of a cancel, on the invoice that takes its lines later, without what was used in a pause', async () => {
    const account = (await newAccount()).api;
    const clock = await makeClock(account, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(account, 'leaver', { test_clock_id: clock });
    const { metric_id } = await makeMetric(account);
    const plan_id = await makePlan(account, { components: [{ metric_id, overage_price: 0.5 }] });
    const subscription = await subscribe(account, { customer_id, plan_id });
    await trackCalls(account, customer_id, '2026-03-05T09:00:00Z', 3);
    await trackCalls(account, customer_id, '2026-03-06T09:00:00Z', 5);
    await advance(account, clock, '2026-03-06T00:00:00Z');
    expect((await account.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
    await advance(account, clock, '2026-03-07T00:00:00Z');
    expect((await account.post(`/api/subscriptions/${subscription}/resume`)).status).toBe(200);
    expect((await account.post(`/api/subscriptions/${subscription}/cancel`)).status).toBe(200);
    await advance(account, clock, '2026-05-01T00:00:00Z');
    const [invoice] = (await invoicesOf(account, `customer_id=${customer_id}`)) as [Json];
    const line = lineOf(invoice, 'usage');
    const { exact } = await account.get(`/api/invoices/${invoice.invoice_id}/lines/${line.line_id}/explain`);
    expect(exact).toMatchObject({ total: '1.5', quantity: '3', events: { count: '3' } });
    expect(itemsOf(exact.events?.results)).toHaveLength(3);
  });

  test('by number too; a bad cursor or limit is 422', async () => {
    const march = invoices[1] as Json;
    const path = `/api/invoices/${march.invoice_number}/lines/${lineOf(march, 'usage').line_id}/explain`;
    expect((await api.get(path)).status).toBe(200);
    const bad = await api.get(`${path}?cursor=x&limit=0`);
    expect([bad.status, Object.keys(bad.body).sort()]).toEqual([422, ['cursor', 'limit']]);
    expect((await api.get(`${path}?limit=201`)).status).toBe(422);
  });

  test('unknown invoice or line, a line of another invoice, another account: 404', async () => {
    const [opening, march] = invoices as [Json, Json];
    const line = lineOf(march, 'usage').line_id;
    expect((await api.get(`/api/invoices/inv_none/lines/${line}/explain`)).status).toBe(404);
    expect((await api.get(`/api/invoices/${march.invoice_id}/lines/line_none/explain`)).status).toBe(404);
    expect((await api.get(`/api/invoices/${opening.invoice_id}/lines/${line}/explain`)).status).toBe(404);
    const other = (await newAccount()).api;
    expect((await other.get(`/api/invoices/${march.invoice_id}/lines/${line}/explain`)).status).toBe(404);
  });
});
