import { env } from 'node:process';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import {
  METRICS,
  type Metric,
  randomSwitchLife,
  type SwitchLife,
  type SwitchPlan,
  withMore,
} from '../../billing/simulator/switch-life.ts';
import { modelSwitchLife } from '../../billing/simulator/switch-model.ts';
import { howMany } from '../../how-many.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Answer, Json } from '../../stack/api.ts';
import { balanceOf, ledgerOf } from '../../stack/billed-customer.ts';
import { advance, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric } from '../../stack/resources.ts';

/**
 * Random interleavings of switches (now, planned, both usage and invoicing behaviors), pauses, renewals, cancels and add-ons on
 * the real stack, of plans with prepaid units or tiers, with tax: each act is done or refused, and the life has cost in the end, as the simple model says. LIVES leads to more.
 */
const FIRST = Number(env.SEED ?? 90_049);
const LIVES = Number(env.LIVES ?? howMany(2, 3));
const AT_ONCE = 3;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);

let account: TestAccount;
const metricIds = new Map<Metric, string>();

beforeEach(async () => {
  account = await newAccount({ isPatient: true });
  for (const event_name of METRICS) {
    const { metric_id } = await makeMetric(account.api, { metric_name: event_name, event_name });
    metricIds.set(event_name, String(metric_id));
  }
});

test(`${LIVES} lives cost what the model says`, { timeout: 60_000 + LIVES * 20_000 }, async () => {
  const seeds = Array.from({ length: LIVES }, (_, i) => FIRST + i);
  const liveOn = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await live(seed);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, liveOn));
});

async function live(seed: number): Promise<void> {
  const { api } = account;
  const life = lifeOf(seed);
  const clock = await makeClock(api, iso(0));
  const tax_rate = life.taxRate ?? 0;
  const customer_id = await makeCustomer(api, `life-${seed}`, { test_clock_id: clock, tax_rate });
  const plans = await Promise.all(life.plans.map(makeLifePlan));
  const addons = await Promise.all((life.addons ?? []).map(makeLifeAddon));
  await Promise.all(life.events.map(({ at, metric }) => track(customer_id, iso(at), metric)));
  let id = await subscribe(api, { customer_id, plan_id: plans[0] });
  const done: boolean[] = [];
  let now = 0;
  for (const act of life.acts) {
    if (act.at > now) expect(await advance(api, clock, iso(act.at)), `life ${seed}`).toMatchObject({ status: 'ready' });
    now = act.at;
    id = await successorOf(id);
    const answer = await perform(id, act, { plans, addons });
    expect([200, 400, 409, 422], `life ${seed}: ${answer.text}`).toContain(answer.status);
    done.push(answer.status === 200);
  }
  await advance(api, clock, iso(now + 100));
  // Never minus zero.
  const ledger = await ledgerOf(api, customer_id);
  const cents = 0 - Math.round(100 * Number(balanceOf(ledger, 'revenue')));
  expect({ done, cents }, `life ${seed}: ${JSON.stringify(life)}`).toEqual(modelSwitchLife(life));
  // Tax follows whatever is charged and given back: but for a rounding of each transaction it is that of what remains.
  const taxOff = Math.abs(Number(balanceOf(ledger, 'tax_payable')) * -100 - (cents * tax_rate) / 100);
  expect(taxOff, `life ${seed}`).toBeLessThanOrEqual(0.5 * ledger.length + 0.001);
}

/** Every other life has more in it. */
function lifeOf(seed: number): SwitchLife {
  const life = randomSwitchLife(seed, { acts: 9, events: 24 });
  return seed % 2 === 0 ? life : withMore(life, seed);
}

type Made = { plans: string[]; addons: string[] };

function perform(id: string, act: SwitchLife['acts'][number], { plans, addons }: Made): Promise<Answer> {
  const { api } = account;
  const path = `/api/subscriptions/${id}`;
  switch (act.do) {
    case 'pause':
    case 'resume':
      return api.post(`${path}/${act.do}`, {});
    case 'cancel':
      return api.post(`${path}/cancel`, {
        flat_fee_behavior: act.fee,
        ...(act.invoicing && { invoicing_behavior: act.invoicing }),
        ...(act.inDays && { cancel_at: dateIn(act.at, act.inDays) }),
      });
    case 'attach':
      return api.post(`${path}/addons/attach`, { addon_id: addons[act.addon] });
    case 'withdraw':
      return api.post(`${path}/switch_plan/`, { effective_date: null });
    case 'switch':
      return api.post(`${path}/switch_plan/`, {
        new_plan_id: plans[act.plan],
        usage_behavior: act.usage,
        invoicing_behavior: act.invoicing,
        ...(act.inDays > 0 && { effective_date: dateIn(act.at, act.inDays) }),
      });
  }
}

/** The subscription that has taken the place of this one, whether a call or time has switched it. */
async function successorOf(id: string): Promise<string> {
  const { body } = await account.api.get(`/api/subscriptions/${id}`);
  return body.replaced_by === null ? id : successorOf(String(body.replaced_by));
}

function makeLifePlan({ days, timing, dailyFee, prices, units = {}, firstTier = {} }: SwitchPlan): Promise<string> {
  const priceOf = (metric: Metric) => {
    const overage_price = (prices[metric] ?? 0) / 100;
    const first = firstTier[metric];
    if (!first) return { overage_price };
    const tiers = [
      { up_to: first.upTo, unit_price: first.cents / 100 },
      { up_to: null, unit_price: overage_price },
    ];
    return { pricing_model: 'tiered', tiers };
  };
  return makePlan(account.api, {
    billing_period: days === 30 ? 'monthly' : 'quarterly',
    charge_timing: timing,
    recurring_fee: (dailyFee * days) / 100,
    components: METRICS.filter((metric) => metric in prices).map((metric) => {
      return { metric_id: metricIds.get(metric), prepaid_units: units[metric] ?? 0, ...priceOf(metric) };
    }),
  });
}

async function makeLifeAddon(cents: number): Promise<string> {
  const answer = await account.api.post('/api/addons', { name: 'Setup', kind: 'one_time', price: cents / 100 });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.addon_id);
}

async function track(customer_id: string, time_created: string, event_name: string): Promise<void> {
  const event: Record<string, Json | string> = { event_name, customer_id, idempotency_id: newId('req'), time_created };
  expect((await account.api.post('/api/track', event)).status).toBe(200);
}

/** The date so many days after that of an act. */
function dateIn(at: number, days: number): string {
  return iso(Math.floor(at) + days).slice(0, 10);
}

function iso(days: number): string {
  return new Date(START + days * DAY_MS).toISOString();
}
