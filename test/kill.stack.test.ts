import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stack } from '../local/start-stack.ts';
import { howMany } from './how-many.ts';
import { asInProduction, testInside } from './outbound/inside.ts';
import type { NameServer } from './outbound/name-server.ts';
import { newAccount } from './stack/accounts.ts';
import { type Api, api, itemsOf, type Json } from './stack/api.ts';
import { sendEvents } from './stack/event-sender.ts';
import { clockReady, killProcess, patiently } from './stack/kills.ts';
import { startOwnStack } from './stack/own-stack.ts';
import { billHeldUnderKills } from './stack/under-kills/held-usage.ts';
import { closeRushUnderKills, type Kill } from './stack/under-kills/rush.ts';
import { closeYearUnderKills } from './workflows/temporal-kill.ts';

const START = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;
/** Thousands: the sum below is that of each thousand. Between two kills some hundreds, for which whoever was killed has to come back. */
const EVENTS = howMany(3_000, 40_000);
/** They fill the period, whatever their number. */
const SPACING_MS = 2_500_000_000 / EVENTS;
/** Every twentieth is sent twice: 5 % repeats. */
const REPEAT_EVERY = 20;

let stack: Stack;
let names: NameServer;

/** One for all that needs nothing but a stack on which nobody else works; in the end for what kills its processes. */
beforeAll(async () => {
  const production = await asInProduction();
  names = production.names;
  stack = await startOwnStack(production.environment);
});
afterAll(async () => {
  await stack?.stop();
  names?.stop();
});

describe('webhooks to the inside', () => testInside(() => ({ stack, names })));

/** kill -9 of each of our processes while events come in, and again while the period closes. */
test('events with repeats are billed exactly, whatever dies', { timeout: 300_000 }, async () => {
  const { base_url: baseUrl } = stack.file();
  const { key: apiKey } = await newAccount({ at: stack.file() });
  const call = api(apiKey, baseUrl);
  const { clockId, subscriptionId } = await openSubscription(call);

  const events = Array.from({ length: EVENTS }, (_, n) => usageEvent(n));
  const sent = events.flatMap((event, n) => (n % REPEAT_EVERY === 0 ? [event, event] : [event]));
  const victims = (['aggregator', 'ingest', 'worker', 'api', 'aggregator'] as const).slice(0, howMany(4, 5));
  const kills: Promise<void>[] = [];
  await sendEvents({ baseUrl, apiKey }, sent, (accepted) => {
    const due = accepted % Math.floor(sent.length / (victims.length + 1)) === 0;
    const victim = victims[accepted / Math.floor(sent.length / (victims.length + 1)) - 1];
    if (due && victim) kills.push(kill(victim));
  });
  await Promise.all(kills);

  await patiently(() => call.post(`/api/test-clocks/${clockId}/advance`, { frozen_time: iso(START + 65 * DAY_MS) }));
  for (const victim of (['worker', 'api', 'aggregator', 'ingest', 'worker'] as const).slice(0, howMany(4, 5))) {
    await sleep(150);
    await kill(victim);
  }
  await clockReady(call, clockId);

  const { body, exact } = await patiently(() => call.get(`/api/invoices?subscription_id=${subscriptionId}`));
  expect(body.count).toBe(2);
  const [second, first] = itemsOf(exact.results);
  const [sum, max] = [(EVENTS / 1_000) * 49_950, (EVENTS - 1) / 10];
  expect(quantities(first)).toEqual(['1', `${EVENTS}`, `${sum}`, `${max}`, '250']);
  // Of 3,000: 10 + 3,000 * 0.001 + 149,850 * 0.01 + 299.9 * 0 + 250 * 2 = 2,011.5
  const subtotal = (10_000 + EVENTS + sum * 10 + 500_000) / 1_000;
  expect(first).toMatchObject({ subtotal: `${subtotal}`, invoice_number: 'INV-000001' });
  expect(quantities(second)).toEqual(['1', '0', '0', '0', '0']);
  expect(second).toMatchObject({ subtotal: '10', invoice_number: 'INV-000002' });
});

const STOP_EVENTS = howMany(1_500, 8_000);

/** SIGTERM, as every deployment sends it: who was answered was served, and who was not may ask again. */
test('a stop of every process under load loses nothing and breaks nothing', { timeout: 200_000 }, async () => {
  const { base_url: baseUrl } = stack.file();
  const { key: apiKey } = await newAccount({ at: stack.file() });
  const call = api(apiKey, baseUrl);
  const metric = { metric_name: 'stops', aggregation_type: 'count', event_name: 'stop' };
  const made = await patiently(() => call.post('/api/metrics', metric));
  await patiently(() => call.post('/api/customers/', { customer_id: 'stopper', email: 'a@acme.test' }));
  const time_created = iso(START);
  const events = Array.from({ length: STOP_EVENTS }, (_, n) => {
    return { event_name: 'stop', customer_id: 'stopper', idempotency_id: `s-${n}`, time_created };
  });

  const statuses = new Set<number>();
  let isSending = true;
  const write = async () => {
    let written = 0;
    for (; isSending; written++) {
      const headers = { 'Idempotency-Key': `stop-${written}` };
      await patiently(async () => {
        const answer = await call.post(
          '/api/credits',
          { customer_id: 'stopper', amount: 1, description: 'stop' },
          headers,
        );
        statuses.add(answer.status);
        return answer;
      });
    }
    return written;
  };
  const writing = write();
  const kills: Promise<void>[] = [];
  await sendEvents({ baseUrl, apiKey }, events, (accepted) => {
    const victim = (['ingest', 'api', 'aggregator', 'worker'] as const)[accepted / (STOP_EVENTS / 5) - 1];
    if (victim) kills.push(kill(victim, 'SIGTERM'));
  });
  await Promise.all(kills);
  isSending = false;
  const written = await writing;

  const credits = await patiently(() => call.get('/api/credits?customer_id=stopper&page_size=1'));
  expect(credits.body.count).toBe(written);
  // A call that cannot be answered is 503, or meets no server: never 500. 409: the first try still runs.
  expect([...statuses].filter((status) => ![201, 409, 503].includes(status))).toEqual([]);
  await patiently(() => call.post('/api/verify-events', { idempotency_ids: ['s-0'] }));
  const span = `customer_id=stopper&start=${iso(START)}&end=${iso(START + DAY_MS)}`;
  const usage = await patiently(() => call.get(`/api/metrics/${made.body.metric_id}/usage?${span}`));
  expect(usage.body.results).toMatchObject([{ value: STOP_EVENTS, events_count: STOP_EVENTS }]);
});

/** Customers that are billed to one payer; more of them where somebody measures. */
const CHILDREN = howMany(20, 60);

/** All that is due at one instant comes onto one invoice, while customers join, leave, pause and cancel. */
async function oneForMany() {
  const { base_url: baseUrl } = stack.file();
  const { key: apiKey } = await newAccount({ at: stack.file() });
  const call = api(apiKey, baseUrl);
  const plan = { name: 'Pro', recurring_fee: 10, billing_period: 'monthly' };
  const { plan_id } = (await patiently(() => call.post('/api/plans', plan))).body;
  await patiently(() => call.post('/api/customers/', { customer_id: 'payer', email: 'a@acme.test' }));
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const dueAt = Date.now() + 10_000;
  const grace = Math.round((dueAt - midnight) / 1000);
  await patiently(() => call.patch('/api/account', { invoice_grace_seconds: grace }));
  const children = Array.from({ length: CHILDREN }, (_, n) => ({
    customer_id: `child-${n}`,
    billed_to: n === 0 ? null : 'payer',
  }));
  const ids = await Promise.all(
    children.map(async (child) => {
      await patiently(() => call.post('/api/customers/', { ...child, email: 'a@acme.test' }));
      const start_date = iso(midnight - 30 * DAY_MS).slice(0, 10);
      const made = await patiently(() =>
        call.post('/api/subscriptions', { ...child, billed_to: undefined, plan_id, start_date }),
      );
      return String(made.body.subscription_id);
    }),
  );
  const meanwhile = () =>
    [
      () => call.patch('/api/customers/child-0/', { billed_to: 'payer' }),
      () => call.patch('/api/customers/child-1/', { billed_to: null }),
      () => call.post(`/api/subscriptions/${ids[2]}/pause`),
      () => call.post(`/api/subscriptions/${ids[3]}/cancel`),
      // Done or not: a call that was cut off is not asked again.
    ].map((ask) => ask().catch(() => undefined));

  async function check(): Promise<void> {
    const issuedFor = async () =>
      itemsOf((await patiently(() => call.get('/api/invoices?page_size=200'))).body.results);
    const sectionsOf = (one: Json) =>
      (one.subscription_id === null ? itemsOf(one.sections) : [one]).map((of) => of.subscription_id);
    const isPeriod = ({ kind }: Json) => String(kind) === 'period';
    let issued = await issuedFor();
    for (; issued.filter(isPeriod).flatMap(sectionsOf).length < CHILDREN; issued = await issuedFor()) await sleep(200);
    expect(issued.filter(isPeriod).flatMap(sectionsOf).toSorted()).toEqual(ids.toSorted());
    const large = issued
      .filter(({ customer_id }) => String(customer_id) === 'payer')
      .map((one) => itemsOf(one.sections).length);
    expect(Math.max(...large)).toBeGreaterThanOrEqual(CHILDREN - 4);
    const numbers = issued.map((one) => Number(String(one.invoice_number).slice(4)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1));
  }
  return { dueAt: midnight + grace * 1000, meanwhile, check };
}

/** Customers whose deal goes on in phases. */
const DEALS = howMany(3, 6);

/** The dates of phases come: of one plan with a billing period, then a switch within one. */
async function dealsInPhases() {
  const { base_url: baseUrl } = stack.file();
  const { key: apiKey } = await newAccount({ at: stack.file() });
  const call = api(apiKey, baseUrl);
  const clock = await patiently(() => call.post('/api/test-clocks', { frozen_time: iso(START) }));
  const test_clock_id = String(clock.body.test_clock_id);
  const plan = { name: 'Pro', billing_period: 'monthly', billing_calendar: 'anniversary' };
  const planOf = async (recurring_fee: number) =>
    (await patiently(() => call.post('/api/plans', { ...plan, recurring_fee }))).body.plan_id;
  const [plan_id, other] = [await planOf(100), await planOf(151)];
  const phases = [
    { start_date: '2026-04-15', overrides: { recurring_fee: 120 } },
    { start_date: '2026-05-15', plan_id: other },
  ];
  const ids: string[] = [];
  for (let n = 0; n < DEALS; n++) {
    const customer_id = `deal-${n}`;
    await patiently(() => call.post('/api/customers/', { customer_id, email: 'a@acme.test', test_clock_id }));
    const made = await patiently(() => call.post('/api/subscriptions', { customer_id, plan_id, phases }));
    ids.push(String(made.body.subscription_id));
  }
  const begin = () =>
    patiently(() => call.post(`/api/test-clocks/${test_clock_id}/advance`, { frozen_time: '2026-07-01T00:00:00Z' }));

  async function check(): Promise<void> {
    await clockReady(call, test_clock_id);
    for (const [n, id] of ids.entries()) {
      const of = `customer_id=deal-${n}`;
      const held = itemsOf((await patiently(() => call.get(`/api/subscriptions?${of}`))).body.results);
      expect(held.map(({ status, plan_id: on }) => [status, on])).toEqual([
        ['active', other],
        ['canceled', plan_id],
      ]);
      expect(held[1]).toMatchObject({ subscription_id: id, replaced_by: held[0]?.subscription_id });
      const { body } = await patiently(() => call.get(`/api/invoices?${of}`));
      const amounts = itemsOf(body.results).map((one) => itemsOf(one.lines).map(({ amount }) => Number(amount)));
      // From May on 120; 31 more for 17 of May's 31 days.
      expect(amounts.toReversed()).toEqual([[100], [100], [120, 17], [151]]);
    }
  }
  return { begin, check };
}

/** kill -9 while both are under way: they share the kills. */
test('a payer of many is invoiced for each subscription once, and phases begin once, whatever dies', {
  timeout: 120_000,
}, async () => {
  const [payer, deals] = await Promise.all([oneForMany(), dealsInPhases()]);
  await sleep(Math.max(0, payer.dueAt - Date.now() - 100));
  const meanwhile = [...payer.meanwhile(), deals.begin()];
  const kills = [
    ['worker', 250],
    ['api', 250],
    ['worker', 2_500],
    ['worker', 2_500],
  ] as const;
  for (const [victim, afterMs] of kills.slice(0, howMany(3, 4))) {
    await sleep(afterMs);
    await kill(victim);
  }
  await Promise.all(meanwhile);
  await Promise.all([payer.check(), deals.check()]);
});

/** kill -9 between the closing that held, the rows that price it, and the invoices that bill it. */
test('held usage is billed once when its rows come, whatever dies', { timeout: 240_000 }, async () => {
  const events = howMany(240, 1_200);
  const { counts, left } = await billHeldUnderKills(stack, { events, customers: 4 });
  // A quarter has a price from the start.
  const [all, held] = [2 * events, (3 * events) / 4];
  expect(counts).toEqual({ events: all, held, billed: all, late: held, twice: 0, never: 0 });
  expect(left).toBe(0);
});

test('a year goes on by itself, each period billed once, whatever dies', { timeout: 180_000 }, () =>
  closeYearUnderKills(stack),
);

/** Customers with ten subscriptions each: RUSH_CUSTOMERS=20 is what somebody measures, and kills the worker four times. */
const RUSH_CUSTOMERS = Number(process.env.RUSH_CUSTOMERS ?? 4);
const VICTIMS: Kill['victim'][] = ['worker', 'postgres', 'api'];
if (RUSH_CUSTOMERS >= 20) VICTIMS.push('worker', 'worker', 'worker');
/** In which order they die, and when: drawn by a seed, so that a failure is seen again under its own. */
const KILLS = fc.tuple(
  fc.shuffledSubarray(VICTIMS, { minLength: VICTIMS.length }),
  fc.array(fc.nat(400), { minLength: VICTIMS.length, maxLength: VICTIMS.length }),
);

/** kill -9 in real time while very many closings of an account take its numbers, and calls do (docs/first-of-month.md). */
test(`a rush is invoiced once, in order, whatever dies; FC_SEED=${fc.readConfigureGlobal()?.seed}`, {
  timeout: 600_000,
}, async () => {
  const [[victims, moments] = [[], []]] = fc.sample(KILLS, 1);
  const kills = victims.map((victim, i) => ({ victim, afterMs: moments[i] ?? 0 }));
  const rush = await closeRushUnderKills(stack, { customers: RUSH_CUSTOMERS, kills });
  const { due, opened, billed, numbers } = rush;
  expect(new Set(billed).size).toBe(due);
  expect(billed).toHaveLength(due);
  // In the order of lists, and at every moment none is there without all before it.
  expect(numbers).toEqual(Array.from({ length: due + opened }, (_, i) => `INV-${String(i + 1).padStart(6, '0')}`));
  expect(rush.outOfOrder).toEqual([]);
  expect(rush.saidOtherwise).toEqual([]);
  expect(rush.placeholders).toEqual([]);
  // 29 and 0.01 for one call or for each of five tokens.
  expect(rush.totals).toEqual(['29.01', '29.05'].flatMap((total) => Array(due / 2).fill(total)));
});

/** Over each thousand: the sum of tenth (0.0 to 99.9) is 49,950; over all n: 250 users. */
function usageEvent(n: number) {
  return {
    event_name: 'request',
    customer_id: 'acme',
    idempotency_id: `e-${n}`,
    time_created: iso(START + n * SPACING_MS),
    properties: { tenth: `${Math.floor((n % 1_000) / 10)}.${n % 10}`, rank: n / 10, user: `u${n % 250}` },
  };
}

async function openSubscription(call: Api) {
  const clock = await call.post('/api/test-clocks', { frozen_time: iso(START) });
  const clockId = String(clock.body.test_clock_id);
  await call.post('/api/customers/', { customer_id: 'acme', email: 'a@acme.test', test_clock_id: clockId });
  const prices = [
    ['count', undefined, 0.001],
    ['sum', 'tenth', 0.01],
    ['max', 'rank', 0],
    ['unique', 'user', 2],
  ] as const;
  const components = [];
  for (const [aggregation_type, property_name, overage_price] of prices) {
    const metric = await call.post('/api/metrics', { metric_name: aggregation_type, aggregation_type, property_name });
    components.push({ metric_id: metric.body.metric_id, overage_price });
  }
  const plan = { name: 'Pro', recurring_fee: 10, billing_period: 'monthly', components };
  const { body } = await call.post('/api/plans', plan);
  const subscription = await call.post('/api/subscriptions', { customer_id: 'acme', plan_id: body.plan_id });
  expect(subscription.status).toBe(201);
  return { clockId, subscriptionId: String(subscription.body.subscription_id) };
}

function quantities(invoice: Json | undefined) {
  return (invoice ? itemsOf(invoice.lines) : []).map((line) => line.quantity);
}

function iso(instant: number) {
  return new Date(instant).toISOString();
}

const kill = (name: Parameters<typeof killProcess>[1], signal?: 'SIGTERM') => killProcess(stack, name, signal);
