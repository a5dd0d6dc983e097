import { expect, test } from 'vitest';
import { issueInvoice } from '../../../services/invoices/issue-invoices.ts';
import { loadSubscriptionSnapshot } from '../../../services/subscriptions/move-subscription.ts';
import { listPendingItems } from '../../../sql/postgres/invoices/pending-items.ts';
import { firstRow, inTransaction } from '../../../sql/postgres/postgres.ts';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { posted } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { advance } from '../in-process-clock.ts';

// spec/credits#given-back-once: what waits while a call reads it, and is on an invoice of another subscription before the call ends, is given back of that invoice.
test('a charge that waits is taken by an invoice while a cancel or a downgrade gives it back', async () => {
  const { accountId, api } = await newAccount();
  const advanced = { charge_timing: 'in_advance' };
  const [free, dear, cheap, other] = [
    await makePlan(api, { ...advanced, recurring_fee: 0 }),
    await makePlan(api, { ...advanced, recurring_fee: 60 }),
    await makePlan(api, { ...advanced, recurring_fee: 30 }),
    await makePlan(api, { recurring_fee: 0.01 }),
  ];
  const once = { name: 'Half', percent_off: 50, duration: 'once' };
  const { coupon_id } = (await posted(api, '/api/coupons', once)).body;

  /** From 0 to 60 on day 10: 40 wait, of which an invoice of another subscription charges 20, while `change` on day 20 is under way; what it leaves. */
  async function while20AreCharged(customer_id: string, change: (id: string) => Promise<unknown>) {
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    await makeCustomer(api, customer_id, { test_clock_id: clock });
    const first = await subscribe(api, { customer_id, plan_id: free, discounts: [{ coupon_id }] });
    const beside = await subscribe(api, { customer_id, plan_id: other });
    await advance(api, clock, '2026-03-11T00:00:00Z');
    const switched = await posted(api, `/api/subscriptions/${first}/switch_plan`, { new_plan_id: dear });
    await advance(api, clock, '2026-03-21T00:00:00Z');
    let changing: Promise<unknown> = Promise.resolve();
    await withPostgres((postgres) =>
      inTransaction(postgres, accountId, async (tx) => {
        const taken = await listPendingItems(tx, accountId, customer_id, { lock: true });
        const { account, customer, subscription } = await loadSubscriptionSnapshot(tx, accountId, beside);
        const { subscriptionId, currentPeriod: period } = subscription;
        const now = Date.parse('2026-03-21T00:00:00Z');
        const charged = { kind: 'period', pending: taken.lines } as const;
        await issueInvoice(tx, { account, customer, now, by: 'call' }, { subscriptionId, period, charged, taken });
        const pid = firstRow(await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid;
        changing = change(String(switched.body.subscription_id));
        const waiting = () =>
          postgres.query('SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [pid]);
        await waitUntil(waiting, ({ rowCount }) => rowCount !== 0);
      }),
    );
    await changing;
    const { exact } = await api.get(`/api/credits?customer_id=${customer_id}`);
    return itemsOf(exact.results).map(({ amount, description }) => `${amount} ${description}`);
  }

  const cancel = (id: string) => posted(api, `/api/subscriptions/${id}/cancel`, { invoicing_behavior: 'invoice_now' });
  expect(await while20AreCharged('acme', cancel)).toEqual(['10 Part of the fee of invoice INV-000001']);
  // The difference of 10 less half.
  const downgrade = (id: string) => posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id: cheap });
  const downgraded = await while20AreCharged('globex', downgrade);
  expect(downgraded).toEqual(['5 Switch from Pro to Pro']);
  const [invoice] = itemsOf((await api.get('/api/invoices?customer_id=globex')).exact.results);
  await posted(api, `/api/invoices/${invoice?.invoice_id}/mark_paid`);
  const refund = { invoice_id: invoice?.invoice_id, method: 'bank_transfer' };
  expect((await api.post('/api/refunds', refund)).exact).toMatchObject({ amount: '15' });
});
