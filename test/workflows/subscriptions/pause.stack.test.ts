import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Json } from '../../stack/api.ts';
import { eventsOf } from '../../stack/billed-customer.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';

let account: TestAccount;
let metric_id: string;
let customers = 0;

beforeAll(async () => {
  account = await newAccount({ isPatient: true });
  metric_id = String((await makeMetric(account.api)).metric_id);
});

/** A monthly subscription from 2026-03-01: periods to 03-31, 04-30, 05-30; a fee of 30 and 0.5 per call. */
async function fixture(now: string, plan: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `p${customers++}`, { test_clock_id: clock });
  const components = [{ metric_id, overage_price: 0.5 }];
  const plan_id = await makePlan(api, { recurring_fee: 30, components, ...plan });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await advance(api, clock, now);
  return { clock, customer_id, subscription };
}

const act = (id: string, action: string, body: object = {}) =>
  account.api.post(`/api/subscriptions/${id}/${action}`, body);
/** Expects that it is done: where it was not, what comes later says nothing. */
const done = async (...call: Parameters<typeof act>) => {
  const answer = await act(...call);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const recordOf = async (id: string): Promise<Json> => (await account.api.get(`/api/subscriptions/${id}`)).exact;

describe('in arrears', () => {
  // Usage is asked in slices: of a hundred alike some have nothing but windows that were paused throughout.
  test.each([
    [1, ['count']],
    [5, ['count', 'sum', 'max', 'unique']],
    [100, ['sum']],
  ])('a pause over period ends of %i components of %j, without events', async (many, kinds) => {
    const { api } = account;
    const components: object[] = [];
    for (let i = 0; i < many; i++) {
      const aggregation_type = kinds[i % kinds.length];
      const of = aggregation_type === 'count' ? {} : { property_name: 'n' };
      // Of names of their own: metrics that are the same are asked about once.
      const named = { metric_name: `M${many}-${i}`, event_name: `e${i}` };
      const metric = await makeMetric(api, { ...named, aggregation_type, ...of });
      const book = { group_by: ['model'], prices: [{ when: {}, overage_price: 1 }] };
      components.push({ metric_id: metric.metric_id, ...(i % 9 === 8 ? book : { overage_price: 1 }) });
    }
    const { clock, customer_id, subscription } = await fixture('2026-03-02T00:00:00Z', { components });
    await done(subscription, 'pause');
    await advance(api, clock, '2026-05-10T00:00:00Z');
    expect((await api.get(`/api/customers/${customer_id}/draft_invoice`)).status).toBe(200);
    expect(await done(subscription, 'resume')).toMatchObject({ status: 'active' });
    expect((await api.get(`/api/customers/${customer_id}/draft_invoice`)).status).toBe(200);
  });

  test('a pause within a period: its days cost nothing, its usage is never billed', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    const paused = await done(subscription, 'pause', { reason: 'holiday' });
    expect(paused).toMatchObject({ status: 'paused', paused_at: '2026-03-11T12:00:00.000Z' });
    expect((await act(subscription, 'pause')).status).toBe(409);
    await trackCalls(api, customer_id, '2026-03-10T00:00:00Z', 2);
    await trackCalls(api, customer_id, '2026-03-12T00:00:00Z', 40);
    await advance(api, clock, '2026-03-17T08:00:00Z');
    expect(await done(subscription, 'resume')).toMatchObject({ status: 'active', paused_at: null });
    expect((await act(subscription, 'resume')).status).toBe(409);
    await trackCalls(api, customer_id, '2026-03-17T08:00:00Z', 4);
    await landed(api);
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-05-01T00:00:00Z');
    const [march, april] = await invoicesOf(api, `subscription_id=${subscription}`);
    // 6 days paused (03-11 to 03-17): 30 * 24 / 30 = 24; 6 calls. Late usage never brings the pause back.
    expect(rowsOf(march)).toEqual(['recurring_fee 24 from 2026-03-01', 'usage x6 3 from 2026-03-01']);
    expect(billOf(draft)).toEqual(billOf(march));
    expect(rowsOf(april)).toEqual(['recurring_fee 30 from 2026-03-31', 'usage x0 0 from 2026-03-31']);
    // Events that come late: those in the pause never count, the one outside it does.
    await trackCalls(api, customer_id, '2026-03-13T00:00:00Z', 5);
    await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 1);
    await advance(api, clock, '2026-06-01T00:00:00Z');
    const may = (await invoicesOf(api, `subscription_id=${subscription}`))[2];
    expect(rowsOf(may).at(-1)).toBe('late_usage x1 0.5 from 2026-03-01');
    const told = (await eventsOf(`subscription/${subscription}`)).map(({ type }) => type);
    expect(told.slice(0, 3)).toEqual(['subscription.created', 'subscription.paused', 'subscription.resumed']);
  });

  test('over period ends, resumed by resumes_at: one invoice each, none where nothing is due', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    await trackCalls(api, customer_id, '2026-03-10T00:00:00Z', 2);
    expect((await act(subscription, 'pause', { resumes_at: '2026-03-11' })).status).toBe(422);
    await done(subscription, 'pause', { resumes_at: '2026-05-10' });
    await advance(api, clock, '2026-05-05T00:00:00Z');
    expect(await invoicesOf(api, `subscription_id=${subscription}`)).toEqual([]);
    expect(await recordOf(subscription)).toMatchObject({
      status: 'paused',
      current_period_start: '2026-04-30T00:00:00.000Z',
    });
    await advance(api, clock, '2026-06-01T00:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    // March: 10 days and 2 calls, at the resume. April: nothing. May: 05-10 to 05-30 are 20 days.
    expect(invoices.map((invoice) => [invoice.issue_date, ...rowsOf(invoice)])).toEqual([
      ['2026-05-10', 'recurring_fee 10 from 2026-03-01', 'usage x2 1 from 2026-03-01'],
      ['2026-05-30', 'recurring_fee 20 from 2026-04-30', 'usage x0 0 from 2026-04-30'],
    ]);
  });

  test('canceled while paused: paused days are not used days; invoice_now is refused', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    await done(subscription, 'pause');
    await advance(api, clock, '2026-03-21T00:00:00Z');
    expect((await act(subscription, 'cancel', { invoicing_behavior: 'invoice_now' })).status).toBe(409);
    expect(await done(subscription, 'cancel')).toMatchObject({ status: 'canceled', paused_at: null });
    await advance(api, clock, '2026-05-01T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices.map((invoice) => [invoice.kind, ...rowsOf(invoice)])).toEqual([
      ['closing', 'recurring_fee 10 from 2026-03-01', 'usage x0 0 from 2026-03-01'],
    ]);
  });
});

describe('in advance', () => {
  test('a period that begins paused is charged from the resume on', async () => {
    const { api } = account;
    const { clock, subscription } = await fixture('2026-03-11T12:00:00Z', { charge_timing: 'in_advance' });
    await done(subscription, 'pause');
    await advance(api, clock, '2026-04-10T09:00:00Z');
    await done(subscription, 'resume');
    await advance(api, clock, '2026-05-01T00:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    // Nothing is given back of March. From 04-10 to 04-30 are 20 days.
    expect(invoices.map((invoice) => [invoice.kind, invoice.issue_date, ...rowsOf(invoice)])).toEqual([
      ['opening', '2026-03-01', 'recurring_fee 30 from 2026-03-01'],
      ['period', '2026-04-10', 'recurring_fee 20 from 2026-03-31', 'usage x0 0 from 2026-03-01'],
      ['period', '2026-04-30', 'recurring_fee 30 from 2026-04-30', 'usage x0 0 from 2026-03-31'],
    ]);
  });
});

test('a customer is deleted while paused, and while something waits: no further invoice', async () => {
  const { api } = account;
  const paused = await fixture('2026-03-11T12:00:00Z');
  await done(paused.subscription, 'pause');
  const canceled = await fixture('2026-03-11T12:00:00Z');
  await done(canceled.subscription, 'cancel');
  for (const { customer_id, clock, subscription } of [paused, canceled]) {
    const deleted = await api.post(`/api/customers/${customer_id}/delete/`);
    expect(deleted.status, deleted.text).toBe(204);
    expect(await advance(api, clock, '2026-06-01T00:00:00Z')).toMatchObject({ status: 'ready' });
    expect(await recordOf(subscription)).toMatchObject({ status: 'canceled', paused_at: null });
    expect(await invoicesOf(api, `subscription_id=${subscription}`)).toEqual([]);
  }
});
