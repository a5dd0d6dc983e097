import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { nextStepsQuery } from '../../../workflows/definitions/messages.ts';
import { subscriptionWorkflowId } from '../../../workflows/workflow-ids.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json, stack } from '../../stack/api.ts';
import { eventsOf } from '../../stack/billed-customer.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { checkParity } from '../../stack/check-parity.ts';
import {
  advance as advanceByWorkflows,
  invoicesOf,
  makeClock,
  makeCustomer,
  makePlan,
  subscribe,
} from '../../stack/clocks.ts';
import { accessWith, landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Trials through a life (spec/subscriptions#trials): 14 days from 2027-03-01, so that billing begins on 03-15. */
let account: TestAccount;
let metric_id: string;
beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

/** A test may be tried twice. */
let made = 0;
const newPlan = (more: object = {}) => {
  const components = [{ metric_id, overage_price: 0.1 }];
  return makePlan(account.api, { recurring_fee: 30, trial_days: 14, components, ...more });
};

async function begin(plan: object, more: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2027-03-01T09:00:00Z');
  const customer_id = await makeCustomer(api, `trial ${++made}`, { test_clock_id: clock });
  return { clock, customer_id, id: await subscribe(api, { customer_id, plan_id: await newPlan(plan), ...more }) };
}

const recordOf = async (id: string) => (await account.api.get(`/api/subscriptions/${id}`)).body;
const billsOf = async (customer_id: string) => {
  const invoices = await invoicesOf(account.api, `customer_id=${customer_id}`);
  return invoices.map((one: Json) => [one.kind, String(one.period_start).slice(0, 10), ...rowsOf(one)]);
};
const stepsOf = async (id: string) => {
  const steps = itemsOf((await account.api.get(`/api/subscriptions/${id}/timeline`)).body.results);
  return steps.map(({ at, kind, status, detail }) => {
    const what = `${String(at).slice(0, 10)} ${kind} ${status}`;
    return String(kind) === 'invoiced' ? what : `${what} ${detail}`;
  });
};
/** Of all invoices of the account, computed again. */
const differences = async () => (await checkParity(account.accountId)).differences;
const act = (id: string, path: string, body: object) => account.api.post(`/api/subscriptions/${id}/${path}`, body);

describe('in advance', () => {
  test('nothing until its end, which is told; then the fee opens the first period', async () => {
    const { api } = account;
    const { clock, customer_id, id } = await begin({ charge_timing: 'in_advance' });
    expect(await recordOf(id)).toMatchObject({
      status: 'active',
      trial_ends_at: '2027-03-15',
      current_period_end: '2027-03-15T00:00:00.000Z',
    });
    await trackCalls(api, customer_id, '2027-03-05T10:00:00Z', 5);
    await landed(api);
    const draft = await draftOf(api, customer_id);
    expect([draft.kind, ...rowsOf(draft)]).toEqual(['opening', 'recurring_fee 30 from 2027-03-15']);
    await advanceByWorkflows(api, clock, '2027-03-12T00:00:00Z');
    const told = async () => (await eventsOf(`subscription/${id}`)).map(({ type }) => type);
    expect(await told()).toEqual(['subscription.created', 'subscription.trial_will_end']);
    expect(await billsOf(customer_id)).toEqual([]);
    await advanceByWorkflows(api, clock, '2027-04-14T00:00:00Z');
    expect((await told()).slice(2)).toEqual(['subscription.trial_ended', 'subscription.renewed']);
    expect(await billsOf(customer_id)).toEqual([
      ['opening', '2027-03-15', 'recurring_fee 30 from 2027-03-15'],
      ['period', '2027-03-15', 'recurring_fee 30 from 2027-04-14', 'usage x0 0 from 2027-03-15'],
    ]);
    expect(await stepsOf(id)).toEqual([
      '2027-05-14 renewed planned Period 3 begins',
      '2027-04-14 renewed done Period 2 from 2027-04-14 to 2027-05-14',
      '2027-04-14 invoiced done',
      '2027-03-15 trial_ended done Period 1 from 2027-03-15 to 2027-04-14',
      '2027-03-15 invoiced done',
      '2027-03-12 trial_will_end done The trial ends on 2027-03-15',
      '2027-03-01 created done Created',
      '2027-03-01 activated done Trial from 2027-03-01 to 2027-03-15',
    ]);
  });

  test('what opens is on the invoice of billed usage: units, add-ons and the fee, which the draft shows; no mrr until then', async () => {
    const { api } = account;
    const components = [{ metric_id, overage_price: 0.1, prepaid_units: 100 }];
    const { clock, customer_id, id } = await begin({
      ...{ charge_timing: 'in_advance', bill_usage_in_trial: true, components },
    });
    const mrrOf = async () => {
      const { currencies } = (await api.get('/api/overview')).body;
      return itemsOf(currencies).map(({ mrr }) => mrr);
    };
    const before = await mrrOf();
    for (const [kind, price] of [
      ['one_time', 7],
      ['recurring', 5],
    ]) {
      const { addon_id } = (await api.post('/api/addons', { name: kind, kind, price })).body;
      expect((await act(id, 'addons/attach', { addon_id })).status).toBe(200);
    }
    await trackCalls(api, customer_id, '2027-03-05T10:00:00Z', 30);
    await landed(api);
    expect((await act(id, 'components/change-prepaid-units', { metric_id, units: 20 })).body).toMatchObject({
      prepaid_units: [{ metric_id, units: 20, used: 0, remaining: 20 }],
    });
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2027-03-15T00:00:00Z');
    const [invoice] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect([invoice?.kind, ...rowsOf(invoice)]).toEqual([
      'period',
      'recurring_fee 30 from 2027-03-15',
      'prepaid_units x20 2 from 2027-03-15',
      'usage x30 3 from 2027-03-01',
      'addon 7 from 2027-03-15',
      'addon 5 from 2027-03-15',
    ]);
    expect(billOf(draft)).toEqual(billOf(invoice));
    const usage = itemsOf(invoice?.lines).find(({ type }) => String(type) === 'usage');
    const why = await api.get(`/api/invoices/${invoice?.invoice_id}/lines/${usage?.line_id}/explain`);
    expect(why.body).toMatchObject({ prepaid_units: 0, total: 3 });
    const days = 'start_date=2027-03-01&end_date=2027-04-13';
    const costs = await api.get(`/api/customers/${customer_id}/cost_analysis/?${days}`);
    expect(costs.exact.total_revenue).toBe(String(invoice?.subtotal));
    expect(await differences()).toBe(0);
    const after = await mrrOf();
    expect(Number(after[0]) - Number(before[0])).toBe(35);
  });

  test('a cancel costs nothing and gives nothing back', async () => {
    const { api } = account;
    const { clock, customer_id, id } = await begin({ charge_timing: 'in_advance' });
    await advance(api, clock, '2027-03-10T12:00:00Z');
    const cancel = { flat_fee_behavior: 'charge_full', invoicing_behavior: 'invoice_now' };
    expect((await act(id, 'cancel', cancel)).body.status).toBe('canceled');
    await advance(api, clock, '2027-05-01T00:00:00Z');
    expect(await billsOf(customer_id)).toEqual([]);
    expect((await api.get(`/api/credits?customer_id=${customer_id}`)).body.results).toEqual([]);
  });
});

describe('in arrears', () => {
  test('usage is billed where the plan says so; the fee from the end of the trial on', async () => {
    const { api } = account;
    const { clock, customer_id } = await begin({ bill_usage_in_trial: true });
    await trackCalls(api, customer_id, '2027-03-05T10:00:00Z', 5);
    await landed(api);
    await advance(api, clock, '2027-04-14T00:00:00Z');
    expect(await billsOf(customer_id)).toEqual([
      ['period', '2027-03-01', 'usage x5 0.5 from 2027-03-01'],
      ['period', '2027-03-15', 'recurring_fee 30 from 2027-03-15', 'usage x0 0 from 2027-03-15'],
    ]);
  });

  test('nothing is invoiced or drafted at its end where nothing is due; without auto_renew it expires with it', async () => {
    const { api } = account;
    const { clock, customer_id, id } = await begin({}, { auto_renew: false });
    await trackCalls(api, customer_id, '2027-03-05T10:00:00Z', 5);
    await landed(api);
    expect((await draftOf(api, customer_id)).invoices).toEqual([]);
    const access = await accessWith(api, customer_id, metric_id, 5);
    expect(access).toMatchObject({ access: true, resets_at: '2027-03-15T00:00:00.000Z' });
    await advance(api, clock, '2027-03-20T00:00:00Z');
    expect(await billsOf(customer_id)).toEqual([]);
    expect(await recordOf(id)).toMatchObject({ status: 'expired', trial_days: 14, trial_ends_at: '2027-03-15' });
    const told = (await eventsOf(`subscription/${id}`)).map(({ type }) => type);
    expect(told.slice(1)).toEqual(['subscription.trial_will_end', 'subscription.trial_ended', 'subscription.canceled']);
  });

  test('ended in a pause it is told, and what begins is due at the resume, without a grace', async () => {
    const { api } = account;
    const { clock, customer_id, id } = await begin({ charge_timing: 'in_advance' });
    await act(id, 'pause', {});
    await advance(api, clock, '2027-03-25T00:00:00Z');
    expect(await billsOf(customer_id)).toEqual([]);
    const told = (await eventsOf(`subscription/${id}`)).map(({ type }) => type);
    expect(told).toContain('subscription.trial_ended');
    const draft = await draftOf(api, customer_id);
    await act(id, 'resume', {});
    expect(await billsOf(customer_id)).toEqual([['opening', '2027-03-15', 'recurring_fee 20 from 2027-03-15']]);
    expect(rowsOf(draft)).toEqual([]);
    expect(itemsOf(draft.invoices).map((part) => [part.condition, ...rowsOf(part)])).toEqual([
      ['on_resume', 'recurring_fee 20 from 2027-03-15'],
    ]);
  });

  test('a switch planned for its middle or its end is drafted as it is billed, from the new calendar on', async () => {
    const { api } = account;
    const calendar = { billing_calendar: 'calendar', charge_timing: 'in_advance', recurring_fee: 31 };
    for (const effective_date of ['2027-03-10', '2027-03-15']) {
      const { clock, customer_id, id } = await begin({});
      const new_plan_id = await newPlan({ ...calendar, trial_days: 30 });
      expect((await act(id, 'switch_plan/', { new_plan_id, effective_date })).status).toBe(200);
      const draft = await draftOf(api, customer_id);
      await advance(api, clock, '2027-03-15T00:00:00Z');
      expect(await billsOf(customer_id)).toEqual([['opening', '2027-03-15', 'recurring_fee 17 from 2027-03-15']]);
      expect([draft.kind, ...rowsOf(draft)]).toEqual(['opening', 'recurring_fee 17 from 2027-03-15']);
    }
  });

  test('it ends on another day, over a pause and a switch, which prorates nothing', async () => {
    const { api } = account;
    const { clock, customer_id, id } = await begin({}, { trial_ends_at: '2027-03-20' });
    const patch = (trial_ends_at: string, of = id) => api.patch(`/api/subscriptions/${of}`, { trial_ends_at });
    expect((await patch('2027-03-01')).status).toBe(422);
    expect((await patch('2027-03-25')).body).toMatchObject({ trial_ends_at: '2027-03-25' });
    await advance(api, clock, '2027-03-05T12:00:00Z');
    expect((await act(id, 'pause', {})).status).toBe(200);
    await advance(api, clock, '2027-03-10T12:00:00Z');
    expect((await act(id, 'resume', {})).status).toBe(200);
    const new_plan_id = await newPlan({ recurring_fee: 90, billing_period: 'quarterly', trial_days: 0 });
    const switched = await act(id, 'switch_plan/', { new_plan_id, invoicing_behavior: 'invoice_now' });
    expect(switched.body).toMatchObject({ trial_ends_at: '2027-03-25', invoice_id: null });
    const next = String(switched.body.subscription_id);
    await advance(api, clock, '2027-06-23T00:00:00Z');
    expect(await billsOf(customer_id)).toEqual([
      ['period', '2027-03-25', 'recurring_fee 90 from 2027-03-25', 'usage x0 0 from 2027-03-25'],
    ]);
    expect((await patch('2027-07-01', next)).status).toBe(409);
  });
});

test('in real time a short trial is told at once, and its workflow waits for the end that it is given', async () => {
  const { api } = account;
  const customer_id = await makeCustomer(api, `trial ${++made}`, { timezone: 'UTC' });
  const id = await subscribe(api, { customer_id, plan_id: await newPlan({ trial_days: 2 }) });
  const told = async () => (await eventsOf(`subscription/${id}`)).map(({ type }) => type);
  await expect.poll(told).toEqual(['subscription.created', 'subscription.trial_will_end']);
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const connection = await Connection.connect({ address: stack().temporal_address });
  const temporal = new Client({ connection });
  const workflowId = subscriptionWorkflowId({ accountId: account.accountId, subscriptionId: id });
  const waitsFor = async () => (await temporal.workflow.getHandle(workflowId).query(nextStepsQuery))[0]?.step;
  await expect.poll(waitsFor).toMatch(`close period 1, due ${dayIn(2)}`);
  expect((await api.patch(`/api/subscriptions/${id}`, { trial_ends_at: dayIn(1) })).status).toBe(200);
  await expect.poll(waitsFor).toMatch(`close period 1, due ${dayIn(1)}`);
  await connection.close();
});

test('usage of a billed trial that comes late is billed, with a switch that begins at zero within it', async () => {
  const { api } = account;
  const components = [{ metric_id, overage_price: 0.1, prepaid_units: 100 }];
  const { clock, customer_id, id } = await begin({ bill_usage_in_trial: true, components });
  await trackCalls(api, customer_id, '2027-03-02T10:00:00Z', 5);
  await landed(api);
  await advance(api, clock, '2027-03-05T00:00:00Z');
  const new_plan_id = await newPlan({ bill_usage_in_trial: true, components });
  await act(id, 'switch_plan/', { new_plan_id, usage_behavior: 'reset_usage' });
  await trackCalls(api, customer_id, '2027-03-08T10:00:00Z', 7);
  await landed(api);
  await advance(api, clock, '2027-03-16T00:00:00Z');
  await trackCalls(api, customer_id, '2027-03-03T10:00:00Z', 1);
  await trackCalls(api, customer_id, '2027-03-09T10:00:00Z', 2);
  await landed(api);
  await advance(api, clock, '2027-04-14T00:00:00Z');
  const rows = (await billsOf(customer_id)).map(([, , ...lines]) => lines);
  expect(rows).toEqual([
    ['prepaid_units x100 10 from 2027-03-15', 'usage x5 0.5 from 2027-03-01', 'usage x7 0.7 from 2027-03-05'],
    [
      'recurring_fee 30 from 2027-03-15',
      'prepaid_units x100 10 from 2027-04-14',
      'usage x0 0 from 2027-03-15',
      'late_usage x1 0.1 from 2027-03-01',
      'late_usage x2 0.2 from 2027-03-05',
    ],
  ]);
});

test('what is wrong is named', async () => {
  const { api } = account;
  const customer_id = await makeCustomer(api, `trial ${++made}`);
  const plan_id = await newPlan({ trial_days: 0 });
  expect((await api.get(`/api/plans/${plan_id}`)).body).toMatchObject({ trial_days: 0, bill_usage_in_trial: false });
  expect((await api.get(`/api/plans/${await newPlan({ trial_days: undefined })}`)).body).toMatchObject({
    trial_days: null,
  });
  const wanted = { customer_id, plan_id };
  const fieldsOf = async (more: object) => {
    const answer = await api.post('/api/subscriptions', { ...wanted, ...more });
    return [answer.status, ...Object.keys(answer.body)];
  };
  expect(await fieldsOf({ trial_days: 731 })).toEqual([422, 'trial_days']);
  expect(await fieldsOf({ trial_days: 1, trial_ends_at: '2999-01-01' })).toEqual([422, 'trial_ends_at']);
  expect(await fieldsOf({ trial_ends_at: '2020-01-01' })).toEqual([422, 'trial_ends_at']);
  const bad = { name: 'x', billing_period: 'monthly', trial_days: -1, bill_usage_in_trial: 'yes' };
  expect(Object.keys((await api.post('/api/plans', bad)).body)).toEqual(['trial_days', 'bill_usage_in_trial']);
});
