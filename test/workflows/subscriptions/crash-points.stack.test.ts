import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closePeriod } from '../../../services/invoices/close-period.ts';
import type { PeriodRef } from '../../../services/references.ts';
import { announceTrialEnd } from '../../../services/subscriptions/announce-trial-end.ts';
import { cancelSubscription } from '../../../services/subscriptions/cancel.ts';
import { changePrepaidUnits } from '../../../services/subscriptions/change-prepaid-units.ts';
import { pauseSubscription } from '../../../services/subscriptions/pause.ts';
import { resumeSubscription } from '../../../services/subscriptions/resume.ts';
import { switchPlan } from '../../../services/subscriptions/switch-plan.ts';
import type { Pool, Transaction } from '../../../sql/postgres/postgres.ts';
import type { ActivityDependencies } from '../../../workflows/activities/dependencies.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { eventsOf } from '../../stack/billed-customer.ts';
import { rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric } from '../../stack/resources.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';

/**
 * A worker may die between any two steps that last: right before a transaction commits, and right after, when what was done
 * is not heard of. Activities are cut off at every such point, and done again as Temporal does them again.
 */

/** Some 30 activities each, on a machine that may be busy. */
const PATIENCE = { timeout: 180_000 };
const never = new AbortController().signal;
const START = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;

let account: TestAccount;
let dependencies: ActivityDependencies;
let close: () => Promise<void>;
let metric_id: string;

beforeAll(async () => {
  ({ dependencies, close } = await connectActivities());
});
beforeEach(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});
afterAll(() => close());

/** A monthly subscription from 2026-03-01: fee 30, 0.5 per call, 10 of them prepaid. */
async function fixture(customerId: string) {
  const { api, accountId } = account;
  const clock = await makeClock(api, new Date(START).toISOString());
  const customer_id = await makeCustomer(api, customerId, { test_clock_id: clock });
  const components = [{ metric_id, overage_price: 0.5, prepaid_units: 10 }];
  const plan_id = await makePlan(api, { recurring_fee: 30, components });
  const subscriptionId = await subscribe(api, { customer_id, plan_id });
  return { clock, customer_id, plan_id, ref: { accountId, subscriptionId } };
}

test('a closing, cut off at every point: one invoice for each period, told once', PATIENCE, async () => {
  const { clock, customer_id, ref } = await fixture('closes');
  for (let period = 0; period < 20; period++) {
    await trackCalls(account.api, customer_id, new Date(START + (period * 30 + 5) * DAY_MS).toISOString(), 1);
  }
  const points = await atEveryPoint(async (point, cut) => {
    await setClock(dependencies, ref.accountId, clock, START + point * 30 * DAY_MS);
    return closePeriod(cut, { ...ref, periodIndex: point - 1 }, never);
  });
  const [opening, ...invoices] = await invoicesOf(account.api, `subscription_id=${ref.subscriptionId}`);
  expect(rowsOf(opening)).toHaveLength(1);
  expect(invoices).toHaveLength(points + 1);
  const day = (period: number) => new Date(START + period * 30 * DAY_MS).toISOString().slice(0, 10);
  expect(invoices.map(rowsOf)).toEqual(
    invoices.map((_, i) => [
      `recurring_fee 30 from ${day(i)}`,
      `prepaid_units x10 5 from ${day(i + 1)}`,
      `usage x1 0 from ${day(i)}`,
    ]),
  );
  expect(await told(`subscription/${ref.subscriptionId}`, 'subscription.renewed')).toBe(points + 1);
  for (const { invoice_id } of invoices) expect(await told(`invoice/${invoice_id}`, 'invoice.created')).toBe(1);
});

test('the end of a trial, cut off at every point: told before, told, and opened once', PATIENCE, async () => {
  const { api, accountId } = account;
  const plan_id = await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance', trial_days: 14 });
  const trials: { clock: string; customer_id: string; ref: PeriodRef }[] = [];
  const trialOf = async (point: number) => {
    const clock = await makeClock(api, new Date(START).toISOString());
    const customer_id = await makeCustomer(api, `trial ${point}`, { test_clock_id: clock });
    const subscriptionId = await subscribe(api, { customer_id, plan_id });
    trials[point] ??= { clock, customer_id, ref: { accountId, subscriptionId, periodIndex: 0 } };
    return trials[point];
  };
  const at = async (point: number, days: number) => {
    const { clock, ref } = trials[point] ?? (await trialOf(point));
    await setClock(dependencies, accountId, clock, START + days * DAY_MS);
    return ref;
  };
  await atEveryPoint(
    async (point, cut) => announceTrialEnd(cut, await at(point, 11)),
    async (point, cut) => closePeriod(cut, await at(point, 14), never),
  );
  const made = trials.flatMap((one) => one ?? []);
  expect(made.length).toBeGreaterThan(4);
  for (const { customer_id, ref } of made) {
    const types = (await eventsOf(`subscription/${ref.subscriptionId}`)).map(({ type }) => type);
    expect(types).toEqual(['subscription.created', 'subscription.trial_will_end', 'subscription.trial_ended']);
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices.map(({ kind }) => kind)).toEqual(['opening']);
    expect(invoices.map(rowsOf)).toEqual([['recurring_fee 30 from 2026-03-15']]);
  }
});

test('calls, cut off at every point and asked again: each is done once', PATIENCE, async () => {
  const { ref } = await fixture('acts');
  const call = (name: string, point: number) => {
    return { ...ref, operationId: `${ref.subscriptionId} ${name} ${point}`, requestHash: name };
  };
  const prepay = (point: number) => ({
    metricId: metric_id,
    units: String(10 + point),
    invoicingBehavior: 'invoice_now' as const,
  });
  const endLater = { ...CANCEL, cancelAt: 'end_of_period' } as const;
  const points = await atEveryPoint(
    (point, cut) => pauseSubscription(cut, { ...call('pause', point), request: { resumesAt: null, reason: null } }),
    (point, cut) => resumeSubscription(cut, call('resume', point), never),
    (point, cut) => changePrepaidUnits(cut, { ...call('prepay', point), request: prepay(point) }, never),
    (point, cut) => cancelSubscription(cut, { ...call('cancel', point), request: endLater }, never),
    (point, cut) =>
      cancelSubscription(cut, { ...call('withdraw', point), request: { ...CANCEL, cancelAt: null } }, never),
  );
  const subject = `subscription/${ref.subscriptionId}`;
  expect(await told(subject, 'subscription.paused')).toBe(points + 1);
  expect(await told(subject, 'subscription.resumed')).toBe(points + 1);
  const [, ...invoices] = await invoicesOf(account.api, `subscription_id=${ref.subscriptionId}`);
  expect(invoices.map(rowsOf)).toEqual(Array(points + 1).fill(['proration x1 0.5 from 2026-03-01']));
});

test('an immediate cancel, cut off at every point: one closing invoice, told once', PATIENCE, async () => {
  const { customer_id, plan_id, ref } = await fixture('ends');
  const { accountId } = ref;
  const canceled = [ref.subscriptionId];
  const points = await atEveryPoint(async (point, cut) => {
    const subscriptionId = canceled[point - 1] ?? (await subscribe(account.api, { customer_id, plan_id }));
    canceled[point - 1] = subscriptionId;
    const call = { accountId, subscriptionId, operationId: `${subscriptionId} cancel`, requestHash: 'cancel' };
    const request = { ...CANCEL, flatFeeBehavior: 'charge_full', invoicingBehavior: 'invoice_now' } as const;
    await cancelSubscription(cut, { ...call, request: { ...request, cancelAt: 'immediately' } }, never);
  });
  expect(canceled).toHaveLength(points + 1);
  for (const subscription of canceled) {
    const [, ...invoices] = await invoicesOf(account.api, `subscription_id=${subscription}`);
    expect(invoices.map(rowsOf)).toEqual([['recurring_fee 30 from 2026-03-01']]);
    expect(await told(`subscription/${subscription}`, 'subscription.canceled')).toBe(1);
  }
});

test('a switch, cut off at every point: one ends and one begins, invoiced and told once', PATIENCE, async () => {
  const { api } = account;
  const { customer_id, ref } = await fixture('switches');
  const { accountId } = ref;
  const switched: { subscriptionId: string; newPlanId: string }[] = [];
  /** One that carries its period on, and one that closes it. */
  const switches = [
    { recurring_fee: 60 },
    { recurring_fee: 600, billing_period: 'annual', charge_timing: 'in_advance' },
  ];
  const acts = switches.map((plan, i) => async (point: number, cut: ActivityDependencies) => {
    const n = (point - 1) * switches.length + i;
    switched[n] ??= {
      subscriptionId: await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) }),
      newPlanId: await makePlan(api, plan),
    };
    const { subscriptionId, newPlanId } = switched[n];
    const call = { accountId, subscriptionId, operationId: `${subscriptionId} switch`, requestHash: 'switch' };
    await switchPlan(cut, { ...call, request: { ...SWITCH, newPlanId } }, never);
  });
  const points = await atEveryPoint(...acts);
  expect(switched).toHaveLength((points + 1) * switches.length);
  for (const [n, { subscriptionId, newPlanId }] of switched.entries()) {
    const { body } = await api.get(`/api/subscriptions/${subscriptionId}`);
    expect(body).toMatchObject({ status: 'canceled', cancel_reason: 'switched' });
    const next = String(body.replaced_by);
    const live = await api.get(`/api/subscriptions?plan_id=${newPlanId}`);
    expect(live.body.results).toMatchObject([{ subscription_id: next, status: 'active' }]);
    expect(await told(`subscription/${next}`, 'subscription.plan_changed')).toBe(1);
    const rows = (await invoicesOf(api, `subscription_id=${next}`)).map((invoice) => rowsOf(invoice));
    const first = n % switches.length === 0 ? 'proration 30' : 'recurring_fee 600';
    expect(rows).toEqual([[`${first} from 2026-03-01`]]);
  }
});

const SWITCH = {
  effectiveDate: 'immediately',
  invoicingBehavior: 'invoice_now',
  usageBehavior: 'transfer_to_new_subscription',
} as const;

const CANCEL = {
  flatFeeBehavior: 'charge_prorated',
  billUsage: true,
  invoicingBehavior: 'add_to_next_invoice',
} as const;

async function told(subject: string, type: string): Promise<number> {
  return (await eventsOf(subject)).filter((event) => event.type === type).length;
}

/** What a dead worker leaves behind it. */
const CRASH = new Error('crashed, for a test');

type Act = (point: number, cut: ActivityDependencies) => Promise<unknown>;

/**
 * Has each act cut off at its first point and then done again; then, as other acts, at its second point, and so on until none
 * has more. Returns how many points there were; each was done once more often.
 */
async function atEveryPoint(...acts: Act[]): Promise<number> {
  for (let point = 1; ; point++) {
    let isCut = false;
    for (const act of acts) {
      await act(point, { ...dependencies, postgres: crashingAt(dependencies.postgres, point) }).catch(
        (error: unknown) => {
          if (error !== CRASH) throw error;
          isCut = true;
        },
      );
      await act(point, dependencies);
    }
    if (!isCut) return point - 1;
  }
}

/** Connections that break right before (odd points) or right after (even ones) a transaction commits. */
function crashingAt(postgres: Pool, point: number): Pool {
  let points = 0;
  const crash = () => {
    points++;
    if (points === point) throw CRASH;
  };
  return overriding(postgres, {
    connect: async () => {
      const client: Transaction = await postgres.connect();
      const query = async (text: string, values?: unknown[]) => {
        if (text !== 'COMMIT') return client.query(text, values);
        crash();
        const answer = await client.query(text);
        crash();
        return answer;
      };
      return overriding(client, { query });
    },
  });
}

/** The same thing, but for some of its methods. */
function overriding<T extends object>(thing: T, methods: Record<string, unknown>): T {
  return new Proxy(thing, {
    get(target, name) {
      if (typeof name === 'string' && name in methods) return methods[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
