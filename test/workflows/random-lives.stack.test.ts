import { env } from 'node:process';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../runtime/ids.ts';
import {
  METRICS,
  type Metric,
  randomSwitchLife,
  type SwitchLife,
  type SwitchPlan,
} from '../billing/simulator/switch-life.ts';
import { modelSwitchLife } from '../billing/simulator/switch-model.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import type { Answer, Json } from '../stack/api.ts';
import { balanceOf, ledgerOf } from '../stack/billed-customer.ts';
import { advance, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeMetric } from '../stack/resources.ts';

/**
 * Random interleavings of switches (now, planned, both usage and invoicing behaviors), pauses, renewals and a cancel on the
 * real stack: each act is done or refused, and the life has cost in the end, as the simple model says. LIVES leads to more.
 */
const FIRST = Number(env.SEED ?? 90_049);
const LIVES = Number(env.LIVES ?? 5);
const AT_ONCE = 3;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);

let account: TestAccount;
const metricIds = new Map<Metric, string>();

beforeEach(async () => {
  account = await newAccount();
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
  const life = randomSwitchLife(seed, { acts: 9, events: 24 });
  const clock = await makeClock(api, iso(0));
  const customer_id = await makeCustomer(api, `life-${seed}`, { test_clock_id: clock });
  const plans = await Promise.all(life.plans.map(makeLifePlan));
  await Promise.all(life.events.map(({ at, metric }) => track(customer_id, iso(at), metric)));
  let id = await subscribe(api, { customer_id, plan_id: plans[0] });
  const done: boolean[] = [];
  let now = 0;
  for (const act of life.acts) {
    if (act.at > now) expect(await advance(api, clock, iso(act.at)), `life ${seed}`).toMatchObject({ status: 'ready' });
    now = act.at;
    id = await successorOf(id);
    const answer = await perform(id, act, plans);
    expect([200, 400, 409, 422], `life ${seed}: ${answer.text}`).toContain(answer.status);
    done.push(answer.status === 200);
  }
  await advance(api, clock, iso(now + 100));
  const cents = Math.round(-100 * Number(balanceOf(await ledgerOf(api, customer_id), 'revenue')));
  expect({ done, cents }, `life ${seed}: ${JSON.stringify(life)}`).toEqual(modelSwitchLife(life));
}

function perform(id: string, act: SwitchLife['acts'][number], plans: string[]): Promise<Answer> {
  const { api } = account;
  const path = `/api/subscriptions/${id}`;
  switch (act.do) {
    case 'pause':
    case 'resume':
      return api.post(`${path}/${act.do}`, {});
    case 'cancel':
      return api.post(`${path}/cancel`, { flat_fee_behavior: act.fee });
    case 'withdraw':
      return api.post(`${path}/switch_plan/`, { effective_date: null });
    case 'switch':
      return api.post(`${path}/switch_plan/`, {
        new_plan_id: plans[act.plan],
        usage_behavior: act.usage,
        invoicing_behavior: act.invoicing,
        ...(act.inDays > 0 && { effective_date: iso(Math.floor(act.at) + act.inDays).slice(0, 10) }),
      });
  }
}

/** The subscription that has taken the place of this one, whether a call or time has switched it. */
async function successorOf(id: string): Promise<string> {
  const { body } = await account.api.get(`/api/subscriptions/${id}`);
  return body.replaced_by === null ? id : successorOf(String(body.replaced_by));
}

function makeLifePlan({ days, timing, dailyFee, prices }: SwitchPlan): Promise<string> {
  return makePlan(account.api, {
    billing_period: days === 30 ? 'monthly' : 'quarterly',
    charge_timing: timing,
    recurring_fee: (dailyFee * days) / 100,
    components: METRICS.filter((metric) => metric in prices).map((metric) => {
      return { metric_id: metricIds.get(metric), overage_price: (prices[metric] ?? 0) / 100 };
    }),
  });
}

async function track(customer_id: string, time_created: string, event_name: string): Promise<void> {
  const event: Record<string, Json | string> = { event_name, customer_id, idempotency_id: newId('req'), time_created };
  expect((await account.api.post('/api/track', event)).status).toBe(200);
}

function iso(days: number): string {
  return new Date(START + days * DAY_MS).toISOString();
}
