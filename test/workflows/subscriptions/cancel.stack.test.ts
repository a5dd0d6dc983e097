import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, eventsOf, ledgerOf } from '../../stack/billed-customer.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

let account: TestAccount;
let metric_id: string;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

type Fixture = { clock: string; customer_id: string; subscription: string };

/** A monthly subscription from 2026-03-01 (to 03-31), a fee of 30 and 0.5 per call; the clock stands at `now`. */
async function fixture(now: string, plan: object = {}, more: object = {}): Promise<Fixture> {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `c${customers++}`, { test_clock_id: clock, tax_rate: 10 });
  const components = [{ metric_id, overage_price: 0.5 }];
  const plan_id = await makePlan(api, { recurring_fee: 30, components, ...plan });
  const subscription = await subscribe(api, { customer_id, plan_id, ...more });
  if (now > '2026-03-01T00:00:00Z') await advance(api, clock, now);
  return { clock, customer_id, subscription };
}

const cancel = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
  account.api.post(`/api/subscriptions/${id}/cancel`, body, headers);
const recordOf = async (id: string): Promise<Json> => (await account.api.get(`/api/subscriptions/${id}`)).exact;
const types = async (id: string) => (await eventsOf(`subscription/${id}`)).map(({ type }) => type);

describe('a cancel in arrears, at once', () => {
  // 2026-03-11 at noon: 10 days used, 20 remain (the day of the change remains). Calls: 4 before, 2 after.
  test.each([
    ['charge_prorated', true, ['recurring_fee 10 from 2026-03-01', 'usage x4 2 from 2026-03-01'], '13.2'],
    ['charge_full', true, ['recurring_fee 30 from 2026-03-01', 'usage x4 2 from 2026-03-01'], '35.2'],
    ['refund', true, ['usage x4 2 from 2026-03-01'], '2.2'],
    ['charge_prorated', false, ['recurring_fee 10 from 2026-03-01'], '11'],
  ] as const)('%s, usage %s, invoiced now', async (flat_fee_behavior, bill_usage, rows, total) => {
    const { customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    await trackCalls(account.api, customer_id, '2026-03-11T11:59:59Z', 4);
    await trackCalls(account.api, customer_id, '2026-03-11T12:00:00Z', 2);
    const answer = await cancel(subscription, { flat_fee_behavior, bill_usage, invoicing_behavior: 'invoice_now' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'canceled',
      cancel_reason: 'canceled',
      canceled_at: '2026-03-11T12:00:00.000Z',
    });
    const invoices = await invoicesOf(account.api, `subscription_id=${subscription}`);
    expect(invoices).toMatchObject([{ kind: 'closing', total, issue_date: '2026-03-11' }]);
    expect(rowsOf(invoices[0])).toEqual(rows);
    expect(await types(subscription)).toEqual(['subscription.created', 'subscription.canceled']);
    const again = await cancel(subscription);
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain('canceled');
  });

  test('what waits is invoiced at the old period end where no other invoice is scheduled', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    expect((await cancel(subscription)).status).toBe(200);
    expect(await invoicesOf(api, `customer_id=${customer_id}`)).toEqual([]);
    await advance(api, clock, '2026-05-01T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    // 30 * 10 / 30 + 4 * 0.5 = 12, tax 1.2
    expect(invoices).toMatchObject([{ kind: 'closing', total: '13.2', created_at: '2026-03-31T00:00:00.000Z' }]);
    expect(rowsOf(invoices[0])).toEqual(['recurring_fee 10 from 2026-03-01', 'usage x4 2 from 2026-03-01']);
  });

  test("what waits goes on the customer's next scheduled invoice", async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    const other = await subscribe(api, {
      customer_id,
      plan_id: await makePlan(api, { recurring_fee: 7 }),
      start_date: '2026-03-06',
    });
    await cancel(subscription, { bill_usage: false });
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-04-05T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices).toMatchObject([{ kind: 'period', subscription_id: other, total: '18.7' }]);
    expect(rowsOf(invoices[0])).toEqual(['recurring_fee 7 from 2026-03-06', 'recurring_fee 10 from 2026-03-01']);
    expect(billOf(draft)).toEqual(billOf(invoices[0]));
  });

  test('without a fee and usage no invoice is made, now or later', async () => {
    const { clock, customer_id, subscription } = await fixture('2026-03-01T00:00:00Z');
    await cancel(subscription, { invoicing_behavior: 'invoice_now' });
    await advance(account.api, clock, '2026-05-01T00:00:00Z');
    expect(await invoicesOf(account.api, `customer_id=${customer_id}`)).toEqual([]);
  });
});

describe('a cancel in advance gives back', () => {
  // Opening invoice: 30 and tax 3. On 2026-03-11 20 of 30 days remain: 20 and tax 2.
  test.each([
    ['charge_prorated', '22', '11', 'open'],
    ['charge_full', '0', '33', 'open'],
    ['refund', '33', '0', 'paid'],
  ])('%s: a credit that pays for the open invoice at once', async (flat_fee_behavior, credits, due, status) => {
    const { customer_id, subscription } = await fixture('2026-03-11T12:00:00Z', { charge_timing: 'in_advance' });
    const answer = await cancel(subscription, { flat_fee_behavior, invoicing_behavior: 'invoice_now' });
    expect(answer.status, answer.text).toBe(200);
    const invoices = await invoicesOf(account.api, `customer_id=${customer_id}`);
    expect(invoices).toMatchObject([
      { kind: 'opening', credits_applied: credits, amount_due: due, status, total: '33' },
    ]);
    expect(rowsOf(invoices[0])).toEqual(['recurring_fee 30 from 2026-03-01']);
  });

  // 33 unpaid, 22 given back: the customer owes nothing and is owed nothing (spec/invoices#states).
  test('an invoice voided after that takes what was given back with it', async () => {
    const { api } = account;
    const { customer_id, subscription } = await fixture('2026-03-11T12:00:00Z', { charge_timing: 'in_advance' });
    await cancel(subscription, { invoicing_behavior: 'invoice_now' });
    const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(opening).toMatchObject({ total: '33', credits_applied: '22', amount_due: '11' });
    const voided = await api.post(`/api/invoices/${opening?.invoice_id}/void`);
    expect(voided.status, voided.text).toBe(200);
    const credits = itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results);
    expect(credits).toMatchObject([{ amount: '22', amount_remaining: '0', status: 'voided', applications: [] }]);
    const ledger = await ledgerOf(api, customer_id);
    for (const name of ['accounts_receivable', 'revenue', 'tax_payable', 'customer_credits', 'credit_grants']) {
      expect([name, balanceOf(ledger, name)]).toEqual([name, '0']);
    }
    expect((await api.get(`/api/customers/${customer_id}/`)).exact.total_amount_due).toBe('0');
  });

  test('a paid invoice: a credit, which the closing invoice uses', async () => {
    const { api } = account;
    const { customer_id, subscription } = await fixture('2026-03-11T12:00:00Z', { charge_timing: 'in_advance' });
    const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect((await api.post(`/api/invoices/${opening?.invoice_id}/mark_paid`, {})).status).toBe(200);
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    await cancel(subscription, { invoicing_behavior: 'invoice_now' });
    const closing = (await invoicesOf(api, `customer_id=${customer_id}`))[1];
    // Usage 2, tax 0.2, all of it by the credit of 22.
    expect(closing).toMatchObject({ kind: 'closing', total: '2.2', credits_applied: '2.2', status: 'paid' });
    const credits = itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results);
    expect(credits).toMatchObject([{ amount: '22', amount_remaining: '19.8', reason: 'overpayment_credit' }]);
    const kinds = (await ledgerOf(api, customer_id)).map(({ kind }) => String(kind));
    expect(kinds).toContain('fee_given_back');
  });
});

describe('a cancel for later', () => {
  test('at the end of the period: the closing invoice, in full', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    const answer = await cancel(subscription, { cancel_at: 'end_of_period' });
    expect(answer.body).toMatchObject({ status: 'active', cancel_at: '2026-03-31T00:00:00.000Z', canceled_at: null });
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-06-01T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices).toMatchObject([{ kind: 'closing', total: '33' }]);
    expect(billOf(itemsOf(draft.invoices)[0])).toEqual(billOf(invoices[0]));
    expect(await recordOf(subscription)).toMatchObject({ status: 'canceled', cancel_reason: 'canceled' });
  });

  test('on a date in a later period: it renews until then', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
    // 2026-04-15 is day 15 after 03-31: 15 days used.
    const planned = { effective_date: '2026-04-15', invoicing_behavior: 'invoice_now' };
    expect((await cancel(subscription, planned)).body.cancel_at).toBe('2026-04-15T00:00:00.000Z');
    await advance(api, clock, '2026-06-01T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices.map(({ kind, subtotal, issue_date }) => [kind, subtotal, issue_date])).toEqual([
      ['period', '30', '2026-03-31'],
      ['closing', '15', '2026-04-15'],
    ]);
    expect(await recordOf(subscription)).toMatchObject({ canceled_at: '2026-04-15T00:00:00.000Z' });
    expect(await types(subscription)).toEqual([
      'subscription.created',
      'subscription.renewed',
      'subscription.canceled',
    ]);
  });

  test('replaced and withdrawn; an end date is one; a past date is 422, today is now', async () => {
    const { clock, subscription } = await fixture('2026-03-11T12:00:00Z', {}, { end_date: '2026-03-20' });
    expect(await recordOf(subscription)).toMatchObject({
      end_date: '2026-03-20',
      cancel_at: '2026-03-20T00:00:00.000Z',
    });
    expect((await cancel(subscription, { cancel_at: '2026-03-25' })).body.cancel_at).toBe('2026-03-25T00:00:00.000Z');
    expect((await cancel(subscription, { cancel_at: null })).body).toMatchObject({ cancel_at: null, end_date: null });
    await advance(account.api, clock, '2026-03-28T00:00:00Z');
    expect(await recordOf(subscription)).toMatchObject({ status: 'active' });
    expect((await cancel(subscription, { cancel_at: '2026-03-27' })).status).toBe(422);
    expect((await cancel(subscription, { cancel_at: 'whenever' })).status).toBe(422);
    expect((await cancel(subscription, { cancel_at: '2026-03-28' })).body.status).toBe('canceled');
  });

  test('a pending one is canceled without an invoice', async () => {
    const { clock, customer_id, subscription } = await fixture('', {}, { start_date: '2026-03-20' });
    expect((await cancel(subscription)).body).toMatchObject({ status: 'canceled' });
    await advance(account.api, clock, '2026-06-01T00:00:00Z');
    expect(await invoicesOf(account.api, `customer_id=${customer_id}`)).toEqual([]);
  });
});

test('late usage of a canceled subscription counts up to the cancel, on a later invoice of the customer', async () => {
  const { api } = account;
  const { clock, customer_id, subscription } = await fixture('2026-03-11T12:00:00Z');
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 7 }), start_date: '2026-03-06' });
  await cancel(subscription, { invoicing_behavior: 'invoice_now' });
  await trackCalls(api, customer_id, '2026-03-10T00:00:00Z', 3);
  await trackCalls(api, customer_id, '2026-03-11T12:00:00Z', 2);
  await advance(api, clock, '2026-04-06T00:00:00Z');
  const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(invoices.map((invoice) => rowsOf(invoice))).toEqual([
    ['recurring_fee 10 from 2026-03-01', 'usage x0 0 from 2026-03-01'],
    ['recurring_fee 7 from 2026-03-06', 'late_usage x3 1.5 from 2026-03-01'],
  ]);
});

test('in real time: paused, resumed, canceled for later, then at once; all day 1, so nothing is due', async () => {
  const { api } = account;
  const customer_id = await makeCustomer(api, `real-${customers++}`);
  const id = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) });
  const act = (action: string, body: object = {}) => api.post(`/api/subscriptions/${id}/${action}`, body);
  expect((await act('pause')).body.status).toBe('paused');
  expect((await act('resume')).body.status).toBe('active');
  // Where the call itself takes longer than that, it comes too late and is refused.
  const pauseForAWhile = () => act('pause', { resumes_at: new Date(Date.now() + 1_500).toISOString() });
  expect((await eventually(pauseForAWhile, ({ status }) => status !== 422)).body.status).toBe('paused');
  const resumed = await eventually(
    () => recordOf(id),
    ({ status }) => String(status) === 'active',
  );
  expect(resumed.paused_at).toBeNull();
  const planned = await act('cancel', { cancel_at: 'end_of_period' });
  expect(planned.body.cancel_at).toBe(planned.body.current_period_end);
  expect((await act('cancel')).body.status).toBe('canceled');
  expect(await invoicesOf(api, `customer_id=${customer_id}`)).toEqual([]);
  const refused = await Promise.all(['pause', 'resume', 'cancel'].map((action) => act(action)));
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
});

test('the same Idempotency-Key is answered again, another body is 422', async () => {
  const { subscription } = await fixture('2026-03-11T12:00:00Z');
  const key = { 'Idempotency-Key': 'cancel-once' };
  const first = await cancel(subscription, {}, key);
  const again = await cancel(subscription, {}, key);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await cancel(subscription, { bill_usage: false }, key)).status).toBe(422);
});

test('PATCH changes renewal and metadata; the timeline tells the life', async () => {
  const { api } = account;
  const { clock, subscription } = await fixture('2026-03-11T12:00:00Z');
  const path = `/api/subscriptions/${subscription}`;
  const patched = await api.patch(path, { auto_renew: false, metadata: { seat: 'b' } });
  expect(patched.body).toMatchObject({ auto_renew: false, metadata: { seat: 'b' } });
  await advance(api, clock, '2026-04-11T12:00:00Z');
  expect(await recordOf(subscription)).toMatchObject({ status: 'expired' });
  expect((await api.patch(path, { auto_renew: true })).status).toBe(409);
  const timeline = itemsOf((await api.get(`${path}/timeline`)).body.results);
  expect(timeline.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'expired done',
    'invoiced done',
    'activated done',
    'created done',
  ]);
});
