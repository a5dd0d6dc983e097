import { expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';
import { ENDPOINT_NAMES, type SharedEvent, sendBy } from './every-endpoint.ts';

/** What holds whichever way an event comes in: one id is one event, and it is billed by when it happened (spec/senders). */

const SUCCESS = expect.toBeOneOf([200, 204]);

function event(more: Partial<SharedEvent> = {}): SharedEvent {
  const names = { source: '/app/one', id: '1', customerId: 'acme', eventName: 'call' };
  return { ...names, time: '2027-01-10T00:00:00.000Z', properties: {}, ...more };
}

/** What the stored events have in the property `by`, by their ids. */
async function keptBy(api: Api): Promise<Map<string, string>> {
  const { exact } = await api.get('/api/events?page_size=200');
  return new Map(
    itemsOf(exact.results).map(({ idempotency_id, properties }) => [String(idempotency_id), String(properties?.by)]),
  );
}

test('one id through every two endpoints in either order is one event, the first that came', async () => {
  const { api, key } = await newAccount();
  const pairs = ENDPOINT_NAMES.flatMap((first) => ENDPOINT_NAMES.map((second) => [first, second] as const));
  await Promise.all(
    pairs.map(async (pair, i) => {
      for (const by of pair) {
        // A repeat may differ in anything.
        const customerId = by === pair[0] ? 'acme' : 'other';
        expect([by, await sendBy(by, key, event({ id: `${i}`, customerId, properties: { by } }))]).toEqual([
          by,
          SUCCESS,
        ]);
      }
    }),
  );
  await landed(api);
  const expected = new Map(pairs.map(([first], i) => [`/app/one ${i}`, first]));
  expect(await keptBy(api)).toEqual(expected);
});

test('one id through all endpoints, each order of all of them begun elsewhere: the first that came is kept', async () => {
  const { api, key } = await newAccount();
  for (const [i, first] of ENDPOINT_NAMES.entries()) {
    const order = [...ENDPOINT_NAMES.slice(i), ...ENDPOINT_NAMES.slice(0, i).toReversed()];
    for (const by of order) await sendBy(by, key, event({ id: first, properties: { by } }));
  }
  await landed(api);
  expect(await keptBy(api)).toEqual(new Map(ENDPOINT_NAMES.map((first) => [`/app/one ${first}`, first])));
});

test('on a test clock usage of every endpoint counts once and in the period in which it happened, late usage with the next invoice', async () => {
  const { api, key } = await newAccount();
  const clock = await makeClock(api, '2027-01-01T00:00:00Z');
  await makeCustomer(api, 'acme', { test_clock_id: clock });
  const once = await makeMetric(api, { event_name: 'once' });
  const units = await makeMetric(api, { aggregation_type: 'sum', property_name: 'units' });
  const components = [once, units].map(({ metric_id }) => ({ metric_id, overage_price: 1 }));
  const planId = await makePlan(api, { recurring_fee: 0, components });
  await subscribe(api, { customer_id: 'acme', plan_id: planId });
  // One id through all of them at once.
  const ids = Array.from({ length: 20 }, (_, i) => `${i}`);
  const sent = ids.flatMap((id) =>
    ENDPOINT_NAMES.map((by) => sendBy(by, key, event({ id, eventName: 'once', properties: { by } }))),
  );
  for (const status of await Promise.all(sent)) expect(status).toEqual(SUCCESS);
  await landed(api);
  expect((await keptBy(api)).size).toBe(20);
  /** Each endpoint sends a digit of its own. */
  const sendAll = async (round: string, time: string) => {
    for (const [i, by] of ENDPOINT_NAMES.entries()) {
      const status = await sendBy(by, key, event({ id: `${round} ${i}`, time, properties: { units: 10 ** i } }));
      expect([by, status]).toEqual([by, SUCCESS]);
    }
  };
  const total = '1'.repeat(ENDPOINT_NAMES.length);
  await sendAll('in time', '2027-01-30T23:59:59.999Z');
  await sendAll('of the next', '2027-01-31T00:00:00.000Z');
  await advance(api, clock, '2027-01-31T00:00:00Z');
  await sendAll('late', '2027-01-02T00:00:00.000Z');
  await advance(api, clock, '2027-03-02T00:00:00Z');
  const invoices = await invoicesOf(api, 'customer_id=acme');
  const linesOf = (metric: Json) =>
    invoices.map(({ lines }) =>
      itemsOf(lines)
        .filter(({ metric_id }) => metric_id === metric.metric_id)
        .map(({ type, quantity, amount }) => [String(type), String(quantity), String(amount)]),
    );
  expect(linesOf(once)).toEqual([[['usage', '20', '20']], [['usage', '0', '0']]]);
  expect(linesOf(units)).toEqual([
    [['usage', total, total]],
    [
      ['usage', total, total],
      ['late_usage', total, total],
    ],
  ]);
});

test('other paths of those systems are 404', async () => {
  const { api } = await newAccount();
  for (const path of [
    '/api/v1',
    '/api/v1/meters',
    '/api/v1/customers',
    '/api/v1/events/e-1',
    '/v1/events/estimate_fees',
  ])
    expect([path, (await api.get(path)).status, (await api.post(path, {})).status]).toEqual([path, 404, 404]);
});

test("another account's key sends to its own account, whatever the body says", async () => {
  const [mine, other] = [await newAccount(), await newAccount()];
  for (const by of ENDPOINT_NAMES) {
    expect([by, await sendBy(by, mine.key, event({ id: by, properties: { by: 'mine' } }))]).toEqual([by, SUCCESS]);
    expect([by, await sendBy(by, other.key, event({ id: by, properties: { by: 'other' } }))]).toEqual([by, SUCCESS]);
    expect([by, await sendBy(by, 'mb_test_nobody', event())]).toEqual([by, 401]);
  }
  await Promise.all([landed(mine.api), landed(other.api)]);
  expect(new Set((await keptBy(mine.api)).values())).toEqual(new Set(['mine']));
  expect(new Set((await keptBy(other.api)).values())).toEqual(new Set(['other']));
  expect((await keptBy(other.api)).size).toBe(ENDPOINT_NAMES.length);
});
