import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { draftOf, linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Prices of one subscription, and of further currencies, through a life (spec/plans#overrides, spec/plans#currencies). */
let account: TestAccount;
let metric_id: string;
beforeAll(async () => {
  account = await newAccount();
  const metric = { metric_name: 'calls', aggregation_type: 'count', event_name: 'call' };
  metric_id = String((await account.api.post('/api/metrics', metric)).body.metric_id);
});

/** A test may be tried twice. */
let made = 0;
const newPlan = (more: object = {}) => {
  return makePlan(account.api, { components: [{ metric_id, overage_price: 0.1 }], ...more });
};
const overrides = () => ({ recurring_fee: 19, components: [{ metric_id, overage_price: 0.05 }] });
const EUR = () => ({ eur: { recurring_fee: 27, components: [{ metric_id, overage_price: 0.09 }] } });

async function newCustomer(from = '2026-03-01T09:00:00Z') {
  const clock = await makeClock(account.api, from);
  const customerId = await makeCustomer(account.api, `overrides ${++made}`, { test_clock_id: clock });
  return { clock, customerId };
}

const amountsOf = (invoice: Json | undefined) =>
  linesOf(invoice).map(({ type, version, overridden, amount }) => [type, String(version), overridden, String(amount)]);
const subscriptionOf = async (id: string) => (await account.api.get(`/api/subscriptions/${id}`)).body;

describe('overrides', () => {
  test('bill a life, late usage and a switch; what is drafted is invoiced, and explained', async () => {
    const { api } = account;
    const { clock, customerId } = await newCustomer();
    const plan_id = await newPlan();
    const sent = overrides();
    const id = await subscribe(api, { customer_id: customerId, plan_id, overrides: sent });
    expect(await subscriptionOf(id)).toMatchObject({ version: 1, currency: 'usd', overrides: sent });
    expect((await api.patch(`/api/plans/${plan_id}`, { recurring_fee: 99 })).status).toBe(200);
    const versions = await api.get(`/api/plans/${plan_id}/versions`);
    expect(itemsOf(versions.body.results).map(({ version }) => version)).toEqual([2, 1]);

    await trackCalls(api, customerId, '2026-03-05T10:00:00Z', 100);
    await landed(api);
    const billed = [
      ['recurring_fee', '1', true, '19'],
      ['usage', '1', true, '5'],
    ];
    expect(amountsOf(await draftOf(api, customerId))).toEqual(billed);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [first] = await invoicesOf(api, `customer_id=${customerId}`);
    expect(amountsOf(first)).toEqual(billed);
    const usage = linesOf(first)[1]?.line_id;
    const why = await api.get(`/api/invoices/${first?.invoice_id}/lines/${usage}/explain`);
    expect(why.body).toMatchObject({ total: 5, overrides: { components: sent.components } });

    // 20 calls of March come late, at the price of March.
    await trackCalls(api, customerId, '2026-03-06T10:00:00Z', 20);
    const new_plan_id = await newPlan({ recurring_fee: 60 });
    const planned = { new_plan_id, effective_date: '2026-04-30', overrides: { recurring_fee: 50 } };
    const answer = await api.post(`/api/subscriptions/${id}/switch_plan/`, planned);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.pending_change).toMatchObject({ new_plan_id, overrides: { recurring_fee: 50 } });
    await advance(api, clock, '2026-04-30T00:00:00Z');
    const [, second] = await invoicesOf(api, `customer_id=${customerId}`);
    expect(amountsOf(second)).toEqual([
      ['recurring_fee', '1', true, '19'],
      ['usage', '1', true, '0'],
      ['late_usage', '1', true, '1'],
    ]);
    const next = String((await subscriptionOf(id)).replaced_by);
    expect(await subscriptionOf(next)).toMatchObject({ plan_id: new_plan_id, overrides: { recurring_fee: 50 } });

    // On day 15 of 30 back to the first plan, with nothing agreed on: (99 - 50) * 15 / 30.
    await advance(api, clock, '2026-05-15T00:00:00Z');
    const back = await api.post(`/api/subscriptions/${next}/switch_plan/`, { new_plan_id: plan_id });
    expect(back.body).toMatchObject({ version: 2, overrides: null, proration: { direction: 'charge' } });
    const draft = await draftOf(api, customerId);
    expect(amountsOf(draft)).toEqual([
      ['recurring_fee', '1', true, '50'],
      ['usage', '2', false, '0'],
      ['proration', '2', false, '24.5'],
    ]);
    await advance(api, clock, '2026-05-30T00:00:00Z');
    const [, , third] = await invoicesOf(api, `customer_id=${customerId}`);
    expect(amountsOf(third)).toEqual(amountsOf(draft));
  });

  test('name what is wrong with each field, and make nothing', async () => {
    const { api } = account;
    const { customerId: customer_id } = await newCustomer();
    const plan_id = await newPlan({ maximum_amount: 100 });
    const bad = {
      recurring_fee: 120,
      components: [
        { metric_id, tiers: [{ up_to: null, unit_price: 1 }], overage_price: null },
        { metric_id: 'metric_none', overage_price: 1, minimum_amount: 1.001 },
      ],
    };
    const answer = await api.post('/api/subscriptions', { customer_id, plan_id, overrides: bad });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        'overrides.maximum_amount': ['Must not be below recurring_fee, which is 120.'],
        'overrides.components.0.pricing_model': ['Must be tiered or volume where there are tiers; it is per_unit.'],
        'overrides.components.1.metric_id': ['Is not billed by the plan.'],
        'overrides.components.1.minimum_amount': ['Must have at most 2 decimals in USD.'],
      },
    ]);
    const id = await subscribe(api, { customer_id, plan_id });
    const switched = await api.post(`/api/subscriptions/${id}/switch_plan/`, {
      new_plan_id: await newPlan(),
      overrides: { components: [{ metric_id: 'metric_none' }] },
    });
    expect([switched.status, switched.body.code]).toEqual([404, 'not_found']);
    expect(await subscriptionOf(id)).toMatchObject({ status: 'active', overrides: null, pending_change: null });
  });
});

describe('currencies', () => {
  test('a plan bills in each of its own; the customer keeps the one it is billed in', async () => {
    const { api } = account;
    const { clock, customerId: customer_id } = await newCustomer();
    const plan_id = await newPlan({ currency_options: EUR() });
    expect((await api.get(`/api/plans/${plan_id}`)).body.currency_options).toEqual(EUR());
    const subscription = { customer_id, plan_id };
    expect((await api.post('/api/subscriptions', { ...subscription, currency: 'gbp' })).status).toBe(400);
    const agreed = { recurring_fee: 20 };
    const id = await subscribe(api, { ...subscription, currency: 'eur', overrides: agreed });
    expect(await subscriptionOf(id)).toMatchObject({ currency: 'eur', version: 1, overrides: agreed });
    const other = { customer_id, plan_id: await newPlan({ currency_options: EUR() }) };
    expect((await api.post('/api/subscriptions', { ...other, currency: 'usd' })).status).toBe(409);

    await trackCalls(api, customer_id, '2026-03-05T10:00:00Z', 100);
    await landed(api);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [invoice] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoice?.currency).toMatchObject({ code: 'EUR' });
    expect(amountsOf(invoice)).toEqual([
      ['recurring_fee', '1', true, '20'],
      ['usage', '1', false, '9'],
    ]);

    // A switch stays in the currency; one to a plan without it is refused.
    const to = (new_plan_id: string) => api.post(`/api/subscriptions/${id}/switch_plan/`, { new_plan_id });
    expect((await to(await newPlan())).status).toBe(400);
    const switched = await to(other.plan_id);
    expect([switched.status, switched.body.currency, switched.body.overrides]).toEqual([200, 'eur', null]);
  });

  test('each prices all that the plan does', async () => {
    const { api } = account;
    const plan = { name: 'Pro', recurring_fee: 29, billing_period: 'monthly' };
    const components = [{ metric_id, overage_price: 0.1 }];
    const options = {
      eur: { components: [] },
      jpy: { recurring_fee: 2900.5, components: [{ metric_id }] },
      usd: { recurring_fee: 1, components: [{ metric_id, overage_price: 1 }] },
    };
    const answer = await api.post('/api/plans', { ...plan, components, currency_options: options });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        'currency_options.eur.recurring_fee': ['Required.'],
        'currency_options.eur.components': [`Must price metric ${metric_id}, too.`],
        'currency_options.jpy.components.0.overage_price': ['Required.'],
        'currency_options.jpy.recurring_fee': ['Must have at most 0 decimals in JPY.'],
        'currency_options.usd': ['Is the currency of the plan itself.'],
      },
    ]);
    const plan_id = await newPlan({ currency_options: EUR() });
    const second = await api.post('/api/metrics', { metric_name: 'b', aggregation_type: 'count', event_name: 'b' });
    const more = [...components, { metric_id: second.body.metric_id, overage_price: 1 }];
    const patched = await api.patch(`/api/plans/${plan_id}`, { components: more });
    expect([patched.status, Object.keys(patched.body)]).toEqual([422, ['currency_options.eur.components']]);
  });
});
