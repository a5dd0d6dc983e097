import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { addDays, isoFromInstant } from '../../../core/instants.ts';
import { activateSubscription } from '../../../services/subscriptions/activate.ts';
import type { Pool } from '../../../sql/postgres/postgres.ts';
import { howMany } from '../../how-many.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Answer, type Api, itemsOf } from '../../stack/api.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { connectActivities } from '../../workflows/activity-fixture.ts';
import { advance } from '../../workflows/in-process-clock.ts';

const ROUNDS = howMany(4, 12);
/** A call takes about as long: whatever comes this much later comes behind it. */
const LAST_MS = 66;

type Activities = Awaited<ReturnType<typeof connectActivities>>;

let activities: Activities;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  activities = await connectActivities();
});
afterAll(() => activities.close());
beforeEach(async () => {
  // Rounds at once: on a busy machine a call is answered 503, and its repeat tells what came of it.
  account = await newAccount({ isPatient: true });
  api = account.api;
});

type Fixture = { clock: string; customerId: string; subscriptionId: string; other: string };

/** Monthly from 2026-03-01 on a plan of 30, on day 10; `other` is a plan of 60 to switch to. */
async function makeFixture(): Promise<Fixture> {
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customerId = await makeCustomer(api, newId('req'), { test_clock_id: clock });
  const other = await makePlan(api, { recurring_fee: 60 });
  const subscriptionId = await subscribe(api, { customer_id: customerId, plan_id: await makePlan(api) });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  return { clock, customerId, subscriptionId, other };
}

const callOn = (subscriptionId: string, call: string, body: object = {}) =>
  api.post(`/api/subscriptions/${subscriptionId}/${call}/`, body);
const deletionOf = ({ customerId }: Fixture) => api.post(`/api/customers/${customerId}/delete/`);
const switchOf = ({ subscriptionId, other }: Fixture) => callOn(subscriptionId, 'switch_plan', { new_plan_id: other });

/** What may happen at the same instant, after `prepare`. */
const RACES: Record<string, { prepare?: (of: Fixture) => Promise<unknown>; call: (of: Fixture) => Promise<Answer> }> = {
  'a subscription that is created': {
    call: ({ customerId, other }) => api.post('/api/subscriptions', { customer_id: customerId, plan_id: other }),
  },
  'a switch that makes a successor': { call: switchOf },
  'a switch that closes the period': {
    prepare: async (of) => {
      of.other = await makePlan(api, { recurring_fee: 500, billing_period: 'annual' });
    },
    call: switchOf,
  },
  'a resume that bills what waited': {
    prepare: async ({ subscriptionId, clock }) => {
      await callOn(subscriptionId, 'pause');
      await advance(api, clock, '2026-05-01T00:00:00Z');
    },
    call: ({ subscriptionId }) => callOn(subscriptionId, 'resume'),
  },
  'a cancel that leaves its fee for the next invoice': {
    call: ({ subscriptionId }) => callOn(subscriptionId, 'cancel'),
  },
};

/** Nothing of the customer lives, and time brings no invoice. */
async function expectEnded({ clock, customerId }: Fixture): Promise<void> {
  const { body } = await api.get(`/api/subscriptions?customer_id=${customerId}`);
  const left = itemsOf(body.results);
  expect(left.map(({ status }) => status)).toEqual(left.map(() => 'canceled'));
  const before = await invoicesOf(api, `customer_id=${customerId}`);
  await advance(api, clock, '2026-09-01T00:00:00Z');
  expect(await invoicesOf(api, `customer_id=${customerId}`)).toHaveLength(before.length);
}

/** Makes calls wait for a subscription's row in this order, and lets them go at once: the first of them comes first. */
async function inLine<T>(subscriptionId: string, calls: readonly (() => Promise<T>)[]): Promise<T[]> {
  return withPostgres(async (postgres) => {
    const holder = await postgres.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM subscriptions WHERE subscription_id = $1 FOR UPDATE', [subscriptionId]);
      const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const answers: Promise<T>[] = [];
      for (const call of calls) {
        answers.push(call());
        await eventually(
          () => countWaiting(postgres, rows[0]?.pid ?? 0),
          (waiting) => waiting === answers.length,
        );
      }
      await holder.query('COMMIT');
      return await Promise.all(answers);
    } finally {
      holder.release();
    }
  });
}

/** How many wait for this one, or for one that does. */
async function countWaiting(postgres: Pool, pid: number): Promise<number> {
  const { rows } = await postgres.query<{ waiting: number }>(
    `WITH RECURSIVE line AS (
       SELECT $1::integer AS pid UNION
       SELECT a.pid FROM pg_stat_activity a JOIN line ON line.pid = ANY(pg_blocking_pids(a.pid)))
     SELECT count(*)::integer - 1 AS waiting FROM line`,
    [pid],
  );
  return rows[0]?.waiting ?? 0;
}

describe('a customer that is deleted at the same instant as (spec/customers#deletion)', () => {
  test.each(Object.entries(RACES))('%s', async (_, { prepare, call }) => {
    const round = async (i: number) => {
      const fixture = await makeFixture();
      await prepare?.(fixture);
      // One after the other in both orders by some of the rounds, within each other by most.
      const deletion = new Promise((done) => setTimeout(done, (i * LAST_MS) / (ROUNDS - 1))).then(() =>
        deletionOf(fixture),
      );
      const [called, deleted] = await Promise.all([call(fixture), deletion]);
      expect([200, 201, 404, 409], called.text).toContain(called.status);
      expect(deleted.status, deleted.text).toBe(204);
      await expectEnded(fixture);
    };
    // Few at once: a machine with much to do answers none of many in time.
    for (let i = 0; i < ROUNDS; i += 2) await Promise.all([round(i), round(i + 1)]);
  });
});

test('a switch that comes just before a deletion has its successor ended with it (spec/customers#deletion)', async () => {
  const fixture = await makeFixture();
  const calls = [() => switchOf(fixture), () => deletionOf(fixture)];
  const answers = await inLine(fixture.subscriptionId, calls);
  expect(answers.map(({ status }) => status)).toEqual([200, 204]);
  await expectEnded(fixture);
});

test('a switch that comes just after a deletion is refused (spec/customers#deletion)', async () => {
  const fixture = await makeFixture();
  const calls = [() => deletionOf(fixture), () => switchOf(fixture)];
  const answers = await inLine(fixture.subscriptionId, calls);
  expect(answers.map(({ status }) => status)).toEqual([204, 409]);
  await expectEnded(fixture);
});

describe('an activation in real time and a deletion (spec/customers#deletion)', () => {
  test.each([
    ['the activation first', 1],
    ['the deletion first', 0],
  ] as const)('%s', async (_, invoices) => {
    const { accountId } = account;
    const customerId = await makeCustomer(api, newId('req'));
    const start_date = addDays(isoFromInstant(Date.now()).slice(0, 10), 2);
    const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
    const subscriptionId = await subscribe(api, { customer_id: customerId, plan_id, start_date });
    const { dependencies } = activities;
    const atStart = { ...dependencies, clock: { now: () => Date.parse(start_date) } };
    const activate = () => activateSubscription(atStart, { accountId, subscriptionId, periodIndex: 0 });
    const deleteCustomer = () => api.post(`/api/customers/${customerId}/delete/`);
    await inLine<unknown>(subscriptionId, invoices === 1 ? [activate, deleteCustomer] : [deleteCustomer, activate]);
    expect((await api.get(`/api/subscriptions/${subscriptionId}`)).body.status).toBe('canceled');
    expect(await invoicesOf(api, `customer_id=${customerId}`)).toHaveLength(invoices);
  });
});
