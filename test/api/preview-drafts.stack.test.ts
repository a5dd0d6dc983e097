import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf, type Json } from '../stack/api.ts';
import { draftOf } from '../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';

/** What `preview=true` says of drafts: the invoices that a call makes later, and what drafts come to (spec/api#previews). */
let account: TestAccount;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
});

async function preview(path: string, body: object = {}): Promise<Json> {
  const answer = await account.api.post(`${path}?preview=true`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

const newClock = () => makeClock(account.api, '2026-03-01T00:00:00Z');

function newCustomer(clock: string, more: object = {}): Promise<string> {
  return makeCustomer(account.api, `d${customers++}`, { test_clock_id: clock, ...more });
}

/** The invoices of a preview, by what a reader compares. */
function invoicesIn(shown: Json) {
  return itemsOf(shown.invoices).map(({ kind, status, issue_date, total, condition = null }) => {
    return { kind, status, issue_date, total, ...(condition !== null && { condition }) };
  });
}

test('a planned cancel is one invoice later, at the date and amount at which it is then issued', async () => {
  const { api } = account;
  const clock = await newClock();
  const customer_id = await newCustomer(clock);
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) });
  const body = { cancel_at: '2026-03-11', invoicing_behavior: 'invoice_now' };
  const path = `/api/subscriptions/${subscription}/cancel`;
  const shown = await preview(path, body);
  expect(itemsOf(shown.invoices)).toMatchObject([
    { invoice_id: null, invoice_number: null, customer_id, subscription_id: subscription, lines: [{ line_id: null }] },
  ]);
  const closing = { kind: 'closing', status: 'draft', issue_date: '2026-03-11', total: '10' };
  expect(invoicesIn(shown)).toEqual([closing]);
  expect(shown.draft_before).toMatchObject({ total: '30', amount_due: '30', payer: null });
  expect(shown.draft_after).toMatchObject({ total: '10', amount_due: '10', payer: null });

  expect((await api.post(path, body)).status).toBe(200);
  await advance(api, clock, '2026-03-20T00:00:00Z');
  expect(await invoicesOf(api, `customer_id=${customer_id}`)).toMatchObject([{ ...closing, status: 'open' }]);
});

test('invoices that a call does not change are not listed', async () => {
  const { api } = account;
  const customer_id = await newCustomer(await newClock());
  const first = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) });
  const plan_id = await makePlan(api, { recurring_fee: 12, charge_timing: 'in_advance' });
  const shown = await preview('/api/subscriptions', { customer_id, plan_id });
  expect(invoicesIn(shown)).toEqual([
    { kind: 'opening', status: 'open', issue_date: '2026-03-01', total: '12' },
    { kind: 'period', status: 'draft', issue_date: '2026-03-31', total: '12' },
  ]);
  expect(itemsOf(shown.invoices).map((invoice) => invoice.subscription_id)).toEqual([null, null]);
  expect(shown.draft_after).toMatchObject({ total: '42' });
  const extended = await preview(`/api/subscriptions/${first}/pause`);
  expect(extended).toMatchObject({ invoices: [], draft_before: { total: '30' }, draft_after: { total: '0' } });
});

test('a switch of a customer with a payer: its own part, and the sums of both drafts', async () => {
  const { api } = account;
  const clock = await newClock();
  const payer = await newCustomer(clock);
  const customer_id = await newCustomer(clock, { billed_to: payer });
  const planOf = (fee: number) => makePlan(api, { recurring_fee: fee, charge_timing: 'in_advance' });
  await subscribe(api, { customer_id: payer, plan_id: await planOf(5) });
  const subscription = await subscribe(api, { customer_id, plan_id: await planOf(10) });
  expect((await api.post('/api/credits', { customer_id: payer, amount: 25 })).status).toBe(201);
  await advance(api, clock, '2026-03-11T18:00:00Z');
  const body = { new_plan_id: await planOf(40), invoicing_behavior: 'add_to_next_invoice' };
  const path = `/api/subscriptions/${subscription}/switch_plan`;
  const shown = await preview(path, body);
  // 20 of 30 days are left: 30 * 20 / 30 = 20.00, and the next fee of 40.00.
  expect(invoicesIn(shown)).toEqual([{ kind: 'period', status: 'draft', issue_date: '2026-03-31', total: '60' }]);
  const sums = (own: string, ofPayer: string, due: string) => ({
    ...{ total: own, amount_due: own },
    payer: { customer_id: payer, total: ofPayer, amount_due: due },
  });
  expect(shown.draft_before).toMatchObject(sums('10', '15', '0'));
  expect(shown.draft_after).toMatchObject(sums('60', '65', '40'));
  expect((await api.post(path, body)).status).toBe(200);
  expect((await draftOf(api, payer)).total).toBe('65');
});

test('a call for a payer: its draft has the parts of those that are billed to it, too', async () => {
  const { api } = account;
  const clock = await newClock();
  const payer = await newCustomer(clock);
  const customer_id = await newCustomer(clock, { billed_to: payer });
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) });
  const shown = await preview('/api/credits', { customer_id: payer, amount: 7 });
  expect(itemsOf(shown.invoices)).toMatchObject([{ customer_id: payer, total: '30', amount_due: '23' }]);
  expect(shown.draft_before).toMatchObject({ total: '30', amount_due: '30', payer: null });
  expect(shown.draft_after).toMatchObject({ total: '30', amount_due: '23', payer: null });
});

test('a part with a condition is listed, and no sum counts it', async () => {
  const { api } = account;
  const clock = await newClock();
  const customer_id = await newCustomer(clock);
  const plan_id = await makePlan(api, { recurring_fee: 30 });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  expect((await api.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
  await advance(api, clock, '2026-04-02T00:00:00Z');
  const shown = await preview('/api/credits', { customer_id, amount: 7 });
  expect(itemsOf(shown.invoices)).toMatchObject([{ condition: 'on_resume', total: '10', amount_due: '3' }]);
  expect(shown.draft_after).toMatchObject({ total: '0', amount_due: '0' });
});
