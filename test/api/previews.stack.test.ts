import { beforeAll, expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { upsertPrepaidChange } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf, type Json } from '../stack/api.ts';
import { draftOf, trackCalls } from '../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { landed, makeMetric } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { advance } from '../workflows/in-process-clock.ts';

/** `preview=true` (spec/api#previews): what a call would do, and then, made next, does. */
let account: TestAccount;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
});

/** A customer on a clock at 2026-03-01 with a plan of `fee`, moved on by ten days. */
async function subscribed(fee: number, more: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `p${customers++}`, { test_clock_id: clock });
  const plan_id = await makePlan(api, { recurring_fee: fee, ...more });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  return { customer_id, subscription, clock };
}

async function preview(path: string, body: object = {}): Promise<Json> {
  const answer = await account.api.post(`${path}?preview=true`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

/**
 * How much the account has to tell: webhooks, workflows and processors are told what stands in the outbox, and nothing else. `webhook_events` is the
 * queue of what the outbox has for webhooks, which empties meanwhile.
 */
function told(): Promise<string> {
  const of = ['outbox_events', 'audit_entries', 'operations'].map(
    (table) => `(SELECT count(*) FROM ${table} WHERE account_id = $1) AS ${table}`,
  );
  return withPostgres(async (postgres) => {
    const { rows } = await postgres.query(`SELECT ${of.join()}`, [account.accountId]);
    return JSON.stringify(rows);
  });
}

/** All that a customer's page shows of what has happened, and what is told of it. */
async function recordsOf(customer_id: string, subscription: string): Promise<string> {
  const paths = [
    `/api/customers/${customer_id}/`,
    `/api/customers/${customer_id}/ledger`,
    `/api/invoices?customer_id=${customer_id}`,
    `/api/credits?customer_id=${customer_id}`,
    `/api/refunds?customer_id=${customer_id}`,
    `/api/subscriptions/${subscription}`,
    `/api/subscriptions/${subscription}/timeline`,
    `/api/audit-log?customer_id=${customer_id}`,
  ];
  const answers = await Promise.all(paths.map((path) => account.api.get(path)));
  return [await told(), ...answers.map(({ text }) => text)].join('\n');
}

test('a switch with invoice_now: fee 10 to 40 with 20 of 30 days left is one invoice of 20.00, and then made so', async () => {
  const { api } = account;
  const { customer_id, subscription } = await subscribed(10, { charge_timing: 'in_advance' });
  const new_plan_id = await makePlan(api, { name: 'More', recurring_fee: 40, charge_timing: 'in_advance' });
  const body = { new_plan_id, invoicing_behavior: 'invoice_now' };
  const path = `/api/subscriptions/${subscription}/switch_plan`;
  const before = await recordsOf(customer_id, subscription);

  const shown = await preview(path, body);
  expect(itemsOf(shown.invoices)).toMatchObject([
    { invoice_id: null, invoice_number: null, kind: 'proration', total: '20', customer_id },
    { invoice_id: null, invoice_number: null, kind: 'period', total: '40', status: 'draft', issue_date: '2026-03-31' },
  ]);
  expect(shown).toMatchObject({ credits: [], refunds: [], result: { subscription_id: null, plan_id: new_plan_id } });
  expect(shown.draft_before).toMatchObject({ total: '10', amount_due: '10' });
  expect(shown.draft_after).toMatchObject({ total: '40', amount_due: '40' });
  expect(await recordsOf(customer_id, subscription)).toBe(before);

  const made = await api.post(path, body);
  expect(made.status, made.text).toBe(200);
  const issued = (await invoicesOf(api, `customer_id=${customer_id}&kind=proration`)).at(-1);
  expect(issued).toMatchObject({ total: '20' });
  expect((await draftOf(api, customer_id)).total).toBe('40');
  // The preview has taken no number.
  const numbers = (await invoicesOf(api, `customer_id=${customer_id}`)).map((one) => String(one.invoice_number));
  expect(Number(numbers[1]?.slice(4))).toBe(Number(numbers[0]?.slice(4)) + 1);
});

test('a cancel now: the closing invoice with the usage so far, and what is given back', async () => {
  const { api } = account;
  const { metric_id } = await makeMetric(api);
  const components = [{ metric_id, overage_price: 0.5 }];
  const { customer_id, subscription } = await subscribed(30, { charge_timing: 'in_advance', components });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 10);
  await landed(api);
  const body = { invoicing_behavior: 'invoice_now' };
  const before = await recordsOf(customer_id, subscription);
  const shown = await preview(`/api/subscriptions/${subscription}/cancel`, body);
  // Of the opening 30, which nobody has paid, 20 come back and pay for it; the calls cost 5.
  expect(itemsOf(shown.invoices)).toMatchObject([{ kind: 'closing', total: '5', invoice_id: null }]);
  expect(itemsOf(shown.credits)).toMatchObject([{ credit_id: null, amount: '20' }]);
  expect(shown).toMatchObject({ result: { subscription_id: subscription, status: 'canceled' } });
  expect(shown.draft_after).toMatchObject({ total: '0' });
  expect(await recordsOf(customer_id, subscription)).toBe(before);
  expect((await api.post(`/api/subscriptions/${subscription}/cancel`, body)).status).toBe(200);
  const closing = (await invoicesOf(api, `customer_id=${customer_id}&kind=closing`)).at(-1);
  expect(closing).toMatchObject({ total: '5' });
});

test('events that are sent all the time keep no preview from its answer', async () => {
  const { api } = account;
  const { metric_id } = await makeMetric(api);
  const components = [{ metric_id, overage_price: 0.5 }];
  const { subscription } = await subscribed(30, { components });
  const { customer_id } = await subscribed(10, { components });
  let isOver = false;
  const sending = (async () => {
    for (let i = 0; !isOver; i++) await trackCalls(api, customer_id, `2026-03-05T00:00:${10 + (i % 50)}Z`, 1);
  })();
  try {
    const shown = await preview(`/api/subscriptions/${subscription}/cancel`, { invoicing_behavior: 'invoice_now' });
    expect(itemsOf(shown.invoices)).toMatchObject([{ kind: 'closing', total: '10' }]);
  } finally {
    isOver = true;
    await sending;
  }
});

test('what writes in a transaction of its own: a subscription, a credit, a refund, an add-on, a void, a payment', async () => {
  const { api } = account;
  const { customer_id, subscription } = await subscribed(30, { charge_timing: 'in_advance' });
  const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
  const invoice = `/api/invoices/${opening?.invoice_id}`;
  const plan_id = await makePlan(api, { name: 'Second', recurring_fee: 12, charge_timing: 'in_advance' });
  const addon = await api.post('/api/addons', { name: 'Seat', kind: 'recurring', price: 3 });
  const before = await recordsOf(customer_id, subscription);

  expect(await preview(`${invoice}/mark_paid`)).toMatchObject({ result: { status: 'paid', amount_paid: '30' } });
  expect(await preview(`${invoice}/mark_uncollectible`)).toMatchObject({ result: { status: 'uncollectible' } });
  expect(await preview(`${invoice}/void`)).toMatchObject({ result: { status: 'void' } });
  const credit = await preview('/api/credits', { customer_id, amount: 7 });
  expect(credit).toMatchObject({ result: { credit_id: null, amount: '7' }, draft_after: { amount_due: '23' } });
  const second = await preview('/api/subscriptions', { customer_id, plan_id });
  expect(itemsOf(second.invoices)).toMatchObject([
    { kind: 'opening', total: '12', subscription_id: null },
    { kind: 'period', total: '12', subscription_id: null, status: 'draft' },
  ]);
  expect(second).toMatchObject({ result: { subscription_id: null }, draft_after: { total: '42' } });
  const attach = { addon_id: addon.body.addon_id };
  expect(await preview(`/api/subscriptions/${subscription}/addons/attach`, attach)).toMatchObject({
    result: { addon_subscription_id: null },
  });
  expect(await preview(`/api/subscriptions/${subscription}/pause`)).toMatchObject({ result: { status: 'paused' } });
  expect(await recordsOf(customer_id, subscription)).toBe(before);

  expect((await api.post(`${invoice}/mark_paid`)).status).toBe(200);
  const refund = await preview('/api/refunds', { invoice_id: opening?.invoice_id, amount: 10 });
  expect(refund).toMatchObject({ result: { refund_id: null, amount: '10' } });
  expect((await api.get(`/api/refunds?customer_id=${customer_id}`)).body.results).toEqual([]);
});

test('one that comes upon another change is made anew', async () => {
  const { accountId } = account;
  const metric_id = String((await makeMetric(account.api)).metric_id);
  const components = [{ metric_id, overage_price: 0.5, prepaid_units: 10 }];
  const { subscription } = await subscribed(30, { charge_timing: 'in_advance', components });
  const path = `/api/subscriptions/${subscription}/components/change-prepaid-units`;
  const shown = await withPostgres((postgres) =>
    inTransaction(postgres, accountId, async (tx) => {
      await lockSubscription(tx, accountId, subscription);
      const answer = account.api.post(`${path}?preview=true`, { metric_id, units: 40 });
      // It has read 10 units, and now waits for us, who change them.
      const waiting = 'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
      await waitUntil(
        () => tx.query(waiting),
        ({ rowCount }) => rowCount === 1,
      );
      const units = { metricId: metric_id, units: decimal('20'), fromPeriod: 0, at: Date.now() };
      await upsertPrepaidChange(tx, accountId, { ...units, subscriptionId: subscription, credited: [] });
      return { answer };
    }),
  );
  const answer = await shown.answer;
  expect(answer.status, answer.text).toBe(200);
  expect(answer.exact.result).toMatchObject({ prepaid_units: [{ metric_id, units: '40' }] });
});

test('it is refused as the call is, keeps no Idempotency-Key, and only what can be previewed takes the parameter', async () => {
  const { api } = account;
  const { customer_id, subscription } = await subscribed(30);
  const refused = await api.post(`/api/subscriptions/${subscription}/resume?preview=true`);
  expect(refused.status).toBe(409);
  expect((await api.post('/api/credits?preview=true', { customer_id })).status).toBe(422);
  expect((await api.post('/api/credits?preview=maybe', { customer_id, amount: 1 })).status).toBe(422);
  expect((await api.post('/api/customers?preview=true', { customer_id: 'x', email: 'x@y.example' })).status).toBe(422);
  const headers = { 'Idempotency-Key': 'seen-first' };
  const shown = await api.post('/api/credits?preview=true', { customer_id, amount: 1 }, headers);
  expect(shown.status).toBe(200);
  expect((await api.post('/api/credits', { customer_id, amount: 2 }, headers)).status).toBe(201);
  const other = await newAccount();
  expect((await other.api.post(`/api/subscriptions/${subscription}/cancel?preview=true`)).status).toBe(404);
});
