import { expect } from 'vitest';
import {
  erasureWorkflowId,
  subscriptionWorkflowId,
  testClockWorkflowId,
  webhookRetriesWorkflowId,
} from '../../workflows/workflow-ids.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import type { Answer, Json } from '../stack/api.ts';
import { advance, eventually, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeMetric } from '../stack/resources.ts';
import { deliveriesOf, makeEndpoint, startReceiver } from '../stack/webhook-receiver.ts';
import { type Lived, PAYMENT_LIVES } from './payment-lives.ts';

/** Every kind of life, played through HTTP; each answers the workflows it made. A new message or step belongs in one of them. */
export const LIVES: Record<string, () => Promise<Lived[]>> = {
  ...PAYMENT_LIVES,

  async 'renews-for-years'() {
    const { api, on } = await onClock('2026-01-10T09:00:00Z');
    const plan_id = await makePlan(api);
    const renewing = await on.subscribe({ plan_id, start_date: '2026-01-12' });
    const ending = await on.subscribe({ plan_id: await makePlan(api), auto_renew: false });
    await on.advance('2027-06-10T09:00:00Z');
    // 17 renewals and an activation: one run goes on in a second one after about a year of them.
    return [{ ...renewing, runs: 2 }, ending, on.clock];
  },

  async 'tries-first'() {
    const { api, on } = await onClock('2026-01-10T09:00:00Z');
    const tried = await makePlan(api, { trial_days: 14, charge_timing: 'in_advance' });
    const one = await on.subscribe({ plan_id: tried });
    const ending = await on.subscribe({ plan_id: await makePlan(api, { trial_days: 2 }), auto_renew: false });
    await on.advance('2026-03-01T00:00:00Z');
    return [one, ending, on.clock];
  },

  /** A trial, then quarters with an invoice each month; a phase of its plan, and one that is a switch. */
  async 'goes-through-phases'() {
    const { account, on } = await onClock('2026-01-10T09:00:00Z');
    const { api } = account;
    const metric_id = String((await makeMetric(api)).metric_id);
    const components = [{ metric_id, overage_price: 0.5 }];
    const sold = { components, billing_period: 'quarterly', billing_calendar: 'anniversary', usage_period: 'monthly' };
    const phases = [
      { start_date: '2026-02-01', overrides: { recurring_fee: 20 } },
      { start_date: '2026-06-15', plan_id: await makePlan(api, sold), overrides: { recurring_fee: 40 } },
      { start_date: '2026-07-24' },
    ];
    const one = await on.subscribe({ plan_id: await makePlan(api, { ...sold, trial_days: 14 }), phases });
    await on.advance('2026-05-01T00:00:00Z');
    const path = `/api/subscriptions/${one.id}`;
    expect((await api.put(`${path}/phases`, { phases: phases.slice(1) })).status).toBe(200);
    await on.advance('2026-09-01T00:00:00Z');
    const next = String((await api.get(path)).body.replaced_by);
    expect((await api.get(`/api/subscriptions/${next}`)).body).toMatchObject({ status: 'active', phases: [] });
    return [one, livedBy(account, next), on.clock];
  },

  async 'pauses-and-cancels'() {
    const { on } = await onClock('2026-01-10T09:00:00Z');
    const one = await on.subscribe({});
    await one.act('pause', { resumes_at: '2026-02-20' });
    await on.advance('2026-02-15T00:00:00Z');
    await one.act('resume');
    await one.act('pause', { resumes_at: '2026-04-01' });
    await on.advance('2026-04-20T00:00:00Z');
    await one.act('cancel', { cancel_at: '2026-05-01' });
    await on.advance('2026-06-01T00:00:00Z');
    return [one];
  },

  async 'cancels-and-is-billed-later'() {
    const { on } = await onClock('2026-01-10T09:00:00Z');
    const one = await on.subscribe({});
    const never = await on.subscribe({ start_date: '2026-05-01' });
    await on.advance('2026-01-20T00:00:00Z');
    await never.act('cancel');
    await one.act('cancel', { cancel_at: 'end_of_period' });
    await one.act('cancel', { cancel_at: null });
    await one.act('cancel');
    await on.advance('2026-03-01T00:00:00Z');
    return [one, never];
  },

  async 'changes-prepaid-units'() {
    const { api, on } = await onClock('2026-01-10T09:00:00Z');
    const metric_id = String((await makeMetric(api)).metric_id);
    const components = [{ metric_id, overage_price: 0.5, prepaid_units: 10 }];
    const one = await on.subscribe({ plan_id: await makePlan(api, { components }) });
    const change = 'components/change-prepaid-units';
    await one.act(change, { metric_id, units: 20 });
    await one.act(change, { metric_id, units: 30, invoicing_behavior: 'invoice_now' });
    await one.act(change, { metric_id, units: 5 });
    await on.advance('2026-03-01T00:00:00Z');
    return [one];
  },

  async 'switches-plans'() {
    const { api, on } = await onClock('2026-01-10T09:00:00Z');
    const [basic, pro, yearly] = [
      await makePlan(api, { recurring_fee: 10 }),
      await makePlan(api, { recurring_fee: 30 }),
      await makePlan(api, { recurring_fee: 300, billing_period: 'annual' }),
    ];
    const now = await on.subscribe({ plan_id: basic });
    const second = await now.switchTo(pro, { invoicing_behavior: 'invoice_now' });
    await second.act('switch_plan', { new_plan_id: yearly, effective_date: '2026-01-25' });
    await on.advance('2026-01-20T00:00:00Z');
    await second.act('switch_plan', { effective_date: null });
    await second.act('switch_plan', { new_plan_id: yearly, effective_date: '2026-02-01' });
    await on.advance('2026-03-01T00:00:00Z');
    return [now, second];
  },

  /** Timers, and messages that cut them short; one that is refused by its state; the last one goes on. */
  async 'real-time'() {
    const account = await newAccount({ isPatient: true });
    const { api } = account;
    const customer_id = await makeCustomer(api, 'real');
    const one = actor(account, await subscribe(api, { customer_id, plan_id: await makePlan(api) }));
    const sleeping = await subscribe(api, { customer_id, plan_id: await makePlan(api), auto_renew: false });
    const pending = actor(
      account,
      await subscribe(api, { customer_id, plan_id: await makePlan(api), start_date: '2999-01-01' }),
    );
    await one.act('pause');
    await one.act('resume');
    // Both pass the API at once, and the second one is refused by the workflow.
    const answers = await Promise.all([one.ask('pause'), one.ask('pause')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await one.act('cancel');
    await pending.act('cancel');
    return [one, pending, livedBy(account, sleeping)];
  },

  async 'ends-with-its-customer'() {
    const account = await newAccount({ isPatient: true });
    const { api, accountId } = account;
    const customer_id = await makeCustomer(api, 'deleted');
    const one = livedBy(account, await subscribe(api, { customer_id, plan_id: await makePlan(api) }));
    expect((await api.post(`/api/customers/${customer_id}/delete/`)).status).toBe(204);
    return [one, { workflowId: erasureWorkflowId({ accountId, customerId: customer_id }), runs: 1 }];
  },

  async 'retries-a-webhook'() {
    const { api, accountId } = await newAccount({ isPatient: true });
    const answers = [500, 204];
    const hooks = await startReceiver((_, response) => void response.writeHead(answers.shift() ?? 204).end());
    const { id } = await makeEndpoint(api, hooks.url);
    const { body } = await api.post(`/api/webhooks/${id}/test`);
    await eventually(
      () => deliveriesOf(api, id),
      ([one]) => String(one?.status) === 'succeeded',
    );
    await hooks.close();
    const delivery = { accountId, deliveryId: String(body.delivery_id), round: 1, dueAt: 0 };
    return [{ workflowId: webhookRetriesWorkflowId(delivery), runs: 1 }];
  },
};

/** A customer on a clock of its own. */
async function onClock(frozenTime: string) {
  const account = await newAccount({ isPatient: true });
  const { api, accountId } = account;
  const testClockId = await makeClock(api, frozenTime);
  const customer_id = await makeCustomer(api, 'lives', { test_clock_id: testClockId });
  const on = {
    clock: { workflowId: testClockWorkflowId({ accountId, testClockId }), runs: 1 },
    subscribe: async (body: object) =>
      actor(account, await subscribe(api, { customer_id, plan_id: await makePlan(api), ...body })),
    advance: async (to: string) => expect(await advance(api, testClockId, to)).toMatchObject({ status: 'ready' }),
  };
  return { account, api, on };
}

function livedBy({ accountId }: TestAccount, subscriptionId: string): Lived {
  return { workflowId: subscriptionWorkflowId({ accountId, subscriptionId }), runs: 1 };
}

type Actor = Lived & {
  id: string;
  ask(action: string, body?: object): Promise<Answer>;
  act(action: string, body?: object): Promise<Json>;
  switchTo(planId: string, more: object): Promise<Actor>;
};

/** A subscription's workflow, and calls about it: `act` expects that they succeed. */
function actor(account: TestAccount, subscriptionId: string): Actor {
  const ask = (action: string, body: object = {}): Promise<Answer> =>
    account.api.post(`/api/subscriptions/${subscriptionId}/${action}`, body);
  const act = async (action: string, body: object = {}) => {
    const answer = await ask(action, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  /** The subscription that takes its place. */
  const switchTo = async (new_plan_id: string, more: object): Promise<Actor> => {
    const { subscription_id } = await act('switch_plan', { new_plan_id, ...more });
    return actor(account, String(subscription_id));
  };
  return { ...livedBy(account, subscriptionId), id: subscriptionId, ask, act, switchTo };
}
