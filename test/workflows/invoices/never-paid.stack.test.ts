import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { draftOf, rowsOf } from '../../stack/bills.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { advance } from '../in-process-clock.ts';

/** What is given back of a fee that was charged ahead and never came. */

let account: TestAccount;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
});

/** In advance from 2026-03-01 (to 03-31), fee 30, tax 10 %: the opening invoice of 33 is open; it is 03-11, 20 of 30 days remain. */
async function fixture() {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `n${customers++}`, { test_clock_id: clock, tax_rate: 10 });
  const plan = { recurring_fee: 30, charge_timing: 'in_advance' };
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, plan) });
  const cheaper = await makePlan(api, { ...plan, name: 'Less', recurring_fee: 15 });
  await advance(api, clock, '2026-03-11T12:00:00Z');
  const opening = async () => (await invoicesOf(api, `customer_id=${customer_id}`))[0] ?? {};
  const { invoice_id } = await opening();
  return { clock, customer_id, subscription, cheaper, invoice_id: String(invoice_id), opening };
}

const creditsOf = async (customer_id: string) =>
  itemsOf((await account.api.get(`/api/credits?customer_id=${customer_id}`)).exact.results);

async function post(path: string, body: object = {}): Promise<Json> {
  const answer = await account.api.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

describe('a switch to a cheaper plan', () => {
  test.each(['void', 'mark_uncollectible'])('credits nothing of a fee after %s', async (action) => {
    const { customer_id, subscription, cheaper, invoice_id } = await fixture();
    await post(`/api/invoices/${invoice_id}/${action}`);
    const { proration } = await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id: cheaper });
    // 15 * 20 / 30 = 10, by the interface's formula; nothing of it was paid.
    expect(proration).toMatchObject({ amount: '10', direction: 'credit' });
    expect(await creditsOf(customer_id)).toEqual([]);
  });

  test('planned, the draft says the same; a fee that is only open is credited, each part of it once', async () => {
    const { api } = account;
    const { clock, customer_id, subscription, cheaper, invoice_id } = await fixture();
    const planned = { new_plan_id: cheaper, effective_date: '2026-03-21' };
    await post(`/api/subscriptions/${subscription}/switch_plan/`, planned);
    // 15 * 10 / 30 = 5, and its tax
    expect((await draftOf(api, customer_id)).credits_applied).toBe('5.5');
    await post(`/api/invoices/${invoice_id}/void`);
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [, next] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(next).toMatchObject({ kind: 'period', credits_applied: '0', total: '16.5' });
    // The new subscription is not there yet: the draft's lines name the old one.
    expect([rowsOf(draft), draft.total]).toEqual([rowsOf(next), next?.total]);
  });
});

test('a cancel lowers what an uncollectible invoice says is due, and leaves no credit to spend', async () => {
  const { customer_id, subscription, invoice_id, opening } = await fixture();
  await post(`/api/invoices/${invoice_id}/mark_uncollectible`);
  await post(`/api/subscriptions/${subscription}/cancel`);
  // 30 * 20 / 30 = 20, and 2 of tax
  expect(await opening()).toMatchObject({ status: 'uncollectible', credits_applied: '22', amount_due: '11' });
  expect(await creditsOf(customer_id)).toMatchObject([{ amount: '22', amount_remaining: '0', status: 'consumed' }]);
});

test('a cancel that gives back of two invoices waits for both before it locks a credit, as a void does', async () => {
  const { api } = account;
  const { customer_id, subscription, invoice_id, opening } = await fixture();
  await api.post('/api/credits', { customer_id, amount: 1 });
  const dearer = await makePlan(api, { name: 'More', recurring_fee: 60, charge_timing: 'in_advance' });
  const now = { new_plan_id: dearer, invoicing_behavior: 'invoice_now' };
  const { subscription_id } = await post(`/api/subscriptions/${subscription}/switch_plan/`, now);
  const canceled = await withPostgres(async (postgres) => {
    const session = await postgres.connect();
    try {
      await session.query('BEGIN');
      await session.query('SELECT 1 FROM invoices WHERE invoice_id = $1 FOR UPDATE', [invoice_id]);
      const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const cancel = post(`/api/subscriptions/${subscription_id}/cancel`, { flat_fee_behavior: 'refund' });
      const waiting = 'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
      await eventually(
        () => postgres.query(waiting, [rows[0]?.pid]),
        ({ rowCount }) => rowCount !== 0,
      );
      await session.query('SELECT 1 FROM credits WHERE customer_id = $1 FOR UPDATE NOWAIT', [customer_id]);
      await session.query('COMMIT');
      return await cancel;
    } finally {
      // Ends the transaction, too, where something failed in it.
      session.release(true);
    }
  });
  expect(canceled.status).toBe('canceled');
  expect(await opening()).toMatchObject({ status: 'paid', amount_due: '0' });
});
