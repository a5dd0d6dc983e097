import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decimal } from '../../../core/decimal.ts';
import { tellMissingPrices } from '../../../services/usage/tell-missing-prices.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { trackCalls } from '../../stack/bills.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { eventOf, makeEndpoint, type Receiver, startReceiver } from '../../stack/webhook-receiver.ts';
import { advance } from '../in-process-clock.ts';

let account: TestAccount;
let api: Api;
let receiver: Receiver;
let secret: string;
let clock: string;
let metric_id: unknown;
let components: object[];

beforeAll(async () => {
  account = await newAccount();
  ({ api } = account);
  receiver = await startReceiver();
  ({ secret } = await makeEndpoint(api, receiver.url, { triggers_in: ['price.missing'] }));
  clock = await makeClock(api, '2026-11-01T00:00:00Z');
  ({ metric_id } = await makeMetric(api, { metric_name: 'Tokens' }));
  components = [{ metric_id, group_by: ['model'], prices: [{ when: { model: 'a' }, overage_price: 0.1 }] }];
});
afterAll(() => receiver.close());

/** `model of plan` of each that was told, once there are so many. */
async function told(count: number): Promise<Json[]> {
  const received = await waitUntil(
    async () => receiver.received,
    ({ length }) => length >= count,
  );
  expect(received).toHaveLength(count);
  return received.map(({ body, headers }) => {
    expect(new Webhook(secret).verify(body, headers)).toEqual(eventOf(body));
    expect(eventOf(body).type).toBe('price.missing');
    return eventOf(body).data;
  });
}

async function subscriber(id: string, plan_id: string): Promise<string> {
  const customer_id = await makeCustomer(api, id, { test_clock_id: clock });
  return subscribe(api, { customer_id, plan_id });
}

test('a combination without a price is told once for its plan and metric, whoever uses it again', async () => {
  const plan_id = await makePlan(api, { recurring_fee: 0, components });
  const subscription_id = await subscriber('first', plan_id);
  await subscriber('second', plan_id);
  await trackCalls(api, 'first', '2026-11-05T00:00:00Z', 2, { model: 'a' });
  // One event: of several that land one after another the first alone may be told.
  await trackCalls(api, 'first', '2026-11-05T00:00:00Z', 1, { model: 'new' });
  await landed(api);
  const [missing] = await told(1);
  expect(missing).toEqual({
    ...{
      subscription_id,
      metric_id,
      group: { model: 'new' },
      quantity: 1,
      events_count: 1,
      customer_id: 'first',
      plan_id,
    },
    first_event_at: '2026-11-05T00:00:00.000Z',
    ...{ period_start: '2026-11-01T00:00:00.000Z', period_end: '2026-12-01T00:00:00.000Z' },
  });
  expect(itemsOf((await api.get('/api/held-usage')).body.results)).toEqual([missing]);

  // A worker that was killed before it kept how far it had looked looks again; others' use, and none, are told by what comes behind.
  await withPostgres((postgres) => postgres.query('UPDATE price_watch SET looked_to = 0'));
  await trackCalls(api, 'second', '2026-11-06T00:00:00Z', 1, { model: 'new' });
  await trackCalls(api, 'second', '2026-11-06T00:00:00Z', 1);
  await landed(api);
  expect((await told(2))[1]).toMatchObject({ group: { model: null }, customer_id: 'second' });
});

test('usage that landed before the subscription, or late for a billed period, is told', async () => {
  const plan_id = await makePlan(api, { name: 'Other', recurring_fee: 0, components });
  const before = receiver.received.length;
  await trackCalls(api, 'third', '2026-11-02T00:00:00Z', 2, { model: 'early' });
  await landed(api);
  await subscriber('third', plan_id);
  const early = { group: { model: 'early' }, quantity: 2, plan_id, customer_id: 'third' };
  expect((await told(before + 1)).at(-1)).toMatchObject(early);

  await advance(api, clock, '2026-12-02T00:00:00Z');
  await trackCalls(api, 'third', '2026-11-20T00:00:00Z', 1, { model: 'late' });
  await landed(api);
  const late = { group: { model: 'late' }, period_start: '2026-11-01T00:00:00.000Z', customer_id: 'third' };
  expect((await told(before + 2)).at(-1)).toMatchObject(late);
});

test('usage that landed before its period, or the subscription, began is told once it has begun', async () => {
  const plan_id = await makePlan(api, { name: 'Begun', recurring_fee: 0, components });
  const waiting = await makePlan(api, { name: 'Waiting', recurring_fee: 0, components });
  const before = receiver.received.length;
  await subscriber('fourth', plan_id);
  await subscribe(api, { customer_id: 'fourth', plan_id: waiting, start_date: '2026-12-10' });
  await trackCalls(api, 'fourth', '2027-01-02T10:00:00Z', 2, { model: 'next period' });
  await trackCalls(api, 'fourth', '2026-12-05T00:00:00Z', 1, { model: 'at once' });
  await landed(api);
  // The watch has passed both when it tells of the later one.
  expect((await told(before + 1)).at(-1)).toMatchObject({ group: { model: 'at once' }, plan_id });

  const used = { group: { model: 'next period' }, quantity: 2, customer_id: 'fourth' };
  await advance(api, clock, '2026-12-11T00:00:00Z');
  expect((await told(before + 2)).at(-1)).toMatchObject({ ...used, plan_id: waiting });
  await advance(api, clock, '2027-01-03T00:00:00Z');
  expect((await told(before + 3)).at(-1)).toMatchObject({ ...used, plan_id });
});

test('of several who tell the same at once one does', async () => {
  const plan_id = await makePlan(api, { name: 'Raced', recurring_fee: 0, components });
  const before = receiver.received.length;
  const held = ['x', 'y', 'y'].map((model) => ({
    ...{ subscriptionId: 'sub_1', customerId: 'first', planId: plan_id, version: 1, metricId: String(metric_id) },
    ...{ group: { model }, quantity: decimal(1), eventsCount: decimal(1), firstEventAt: 0 },
    ...{ periodStart: 0, periodEnd: 1, windowStart: 0, rowsKnown: 0n },
  }));
  await withPostgres((postgres) =>
    Promise.all(
      [held, held.toReversed(), held].map((some) =>
        inTransaction(postgres, account.accountId, (tx) => tellMissingPrices(tx, account.accountId, some)),
      ),
    ),
  );
  expect((await told(before + 2)).slice(-2).map(({ group }) => group)).toEqual(
    expect.arrayContaining([{ model: 'x' }, { model: 'y' }]),
  );
});
