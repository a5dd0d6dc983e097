import { advance } from '../workflows/in-process-clock.ts';
import { newAccount, type TestAccount } from './accounts.ts';
import { itemsOf, type Json } from './api.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from './clocks.ts';
import { makeMetric } from './resources.ts';

export type SwitchSubscriber = { clock: string; customer_id: string; subscription: string; other: string };

export const priced = (metric_id: string, overage_price: number, more: object = {}) => ({
  metric_id,
  overage_price,
  ...more,
});

/** An account with two metrics, and what tests of switches do in it. */
export async function openSwitchFixture() {
  const account: TestAccount = await newAccount();
  const { api } = account;
  const calls = String((await makeMetric(api)).metric_id);
  const jobs = String((await makeMetric(api, { metric_name: 'Jobs', event_name: 'job' })).metric_id);
  let customers = 0;

  /** Monthly from 2026-03-01 (to 03-31) on a plan of 30 and 0.5 per call; another of 60 and 1 per call to switch to. */
  async function subscriber(now: string, old: object = {}, next: object = {}): Promise<SwitchSubscriber> {
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, `c${customers++}`, { test_clock_id: clock });
    const plan_id = await makePlan(api, { name: 'Basic', recurring_fee: 30, components: [priced(calls, 0.5)], ...old });
    const other = await makePlan(api, { name: 'Pro', recurring_fee: 60, components: [priced(calls, 1)], ...next });
    const subscription = await subscribe(api, { customer_id, plan_id });
    if (now > '2026-03-01T00:00:00Z') await advance(api, clock, now);
    return { clock, customer_id, subscription, other };
  }

  return {
    account,
    calls,
    jobs,
    subscriber,
    switchTo: (id: string, new_plan_id: string | undefined, body: object = {}, headers: Record<string, string> = {}) =>
      api.post(`/api/subscriptions/${id}/switch_plan/`, { ...(new_plan_id && { new_plan_id }), ...body }, headers),
    recordOf: async (id: unknown): Promise<Json> => (await api.get(`/api/subscriptions/${id}`)).exact,
    invoicesFor: (customer_id: string) => invoicesOf(api, `customer_id=${customer_id}`),
    creditsOf: async (customer_id: string) =>
      itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results),
  };
}
