import { expect } from 'vitest';
import { PROCESSOR_TOLD } from '../../sql/postgres/outbox.ts';
import { collectionWorkflowId, processorEventWorkflowId, refundWorkflowId } from '../../workflows/workflow-ids.ts';
import type { Card } from '../processors/stripe-server.ts';
import { withPostgres } from '../stack/accounts.ts';
import type { Json } from '../stack/api.ts';
import { FIRST_DAY } from '../stack/billed-customer.ts';
import { advance, eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { connectedAccount, fakeStripe, newPayer, sendHook } from '../stack/processors.ts';

const DAY_MS = 86_400_000;
const stripe = fakeStripe();

type Account = Awaited<ReturnType<typeof connectedAccount>>;

/** A workflow that a life has run, and in how many runs. */
export type Lived = { workflowId: string; runs: number };

/** Every kind of life that a payment can have, as {@link LIVES} of everything else. */
export const PAYMENT_LIVES: Record<string, () => Promise<Lived[]>> = {
  async 'collects-in-real-time'() {
    const account = await connectedAccount();
    const one = await debtor(account, 'declined');
    await eventually(
      () => stripe.ordersOf(one.payer),
      (orders) => orders === 1,
    );
    await stripe.setCard(one.payer, 'needs_3ds');
    await one.pay();
    await stripe.setCard(one.payer, 'good');
    await one.pay();
    await one.becomes('paid');
    return [one.collection];
  },

  async 'collects-slowly'() {
    const account = await connectedAccount();
    const [paid, declined] = [await debtor(account, 'slow'), await debtor(account, 'slow')];
    for (const [{ payer }, how] of [
      [paid, 'succeeded'],
      [declined, 'failed'],
    ] as const) {
      await eventually(
        () => stripe.ordersOf(payer),
        (orders) => orders === 1,
      );
      const { id } = await stripe.intentOf(payer);
      await stripe.settle(id, how);
      const type = how === 'succeeded' ? 'payment_intent.succeeded' : 'payment_intent.payment_failed';
      const event = await stripe.event(type, await stripe.intentOf(payer), { account: account.externalAccountId });
      expect(await sendHook(event)).toBe(200);
    }
    await paid.becomes('paid');
    // A retry will come: its timer runs.
    await eventually(
      async () => (await stripe.intentOf(declined.payer)).status,
      (status) => status === 'canceled',
    );
    return [paid.collection, declined.collection, ...(await processorEventsOf(account))];
  },

  async 'collects-on-a-clock'() {
    const account = await connectedAccount();
    const clock = await makeClock(account.api, FIRST_DAY);
    const [declined, absent] = [
      await debtor(account, 'declined', { test_clock_id: clock }),
      await debtor(account, 'needs_3ds', { test_clock_id: clock }),
    ];
    for (const { payer } of [declined, absent]) {
      await eventually(
        () => stripe.ordersOf(payer),
        (orders) => orders === 1,
      );
    }
    await stripe.setCard(absent.payer, 'good');
    for (const day of [1.5, 3.5, 5.5, 7.5]) {
      const to = new Date(Date.parse(FIRST_DAY) + day * DAY_MS).toISOString();
      expect(await advance(account.api, clock, to)).toMatchObject({ status: 'ready' });
    }
    await declined.becomes('uncollectible');
    await absent.becomes('paid');
    return [declined.collection, absent.collection];
  },

  async refunds() {
    const account = await connectedAccount();
    const one = await debtor(account, 'good');
    const invoice = await one.becomes('paid');
    const soon = await refund(account, invoice, '5');
    await soon.becomes('succeeded');
    // What ends in 7 waits for the bank.
    const late = await refund(account, invoice, '10.07');
    await eventually(late.load, ({ processor_refund_id }) => processor_refund_id !== null);
    const { id: charge } = await stripe.intentOf(one.payer);
    await stripe.settleRefund(String((await stripe.refundOf(charge))?.id), 'succeeded');
    const known = (await stripe.refundOf(charge)) ?? {};
    const event = await stripe.event('refund.updated', known, { account: account.externalAccountId });
    expect(await sendHook(event)).toBe(200);
    await late.becomes('succeeded');
    return [one.collection, soon.sending, late.sending];
  },
};

/** A customer who owes an opening invoice of 29 at once, to be paid by this card. */
async function debtor({ api, accountId }: Account, card: Card, more: Record<string, unknown> = {}) {
  const { payer, fields } = await newPayer(card);
  const customer_id = await makeCustomer(api, payer, { ...fields, ...more });
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { charge_timing: 'in_advance' }) });
  const load = async (): Promise<Json> => (await invoicesOf(api, `customer_id=${customer_id}`))[0] ?? {};
  const invoiceId = String((await load()).invoice_id);
  const collection: Lived = { workflowId: collectionWorkflowId({ accountId, invoiceId }), runs: 1 };
  const becomes = (status: string) => eventually(load, (invoice) => String(invoice.status) === status);
  /** The first attempt may still be at work. */
  const pay = () =>
    eventually(
      () => api.post(`/api/invoices/${invoiceId}/pay`),
      ({ status }) => status === 200,
    );
  return { payer, collection, becomes, pay };
}

async function refund({ api, accountId }: Account, invoice: Json, amount: string) {
  const made = await api.post('/api/refunds', { invoice_id: invoice.invoice_id, amount });
  expect(made.status, made.text).toBe(201);
  const refundId = String(made.body.refund_id);
  const sending: Lived = { workflowId: refundWorkflowId({ accountId, refundId }), runs: 1 };
  const load = async () => (await api.get(`/api/refunds/${refundId}`)).body;
  const becomes = (status: string) => eventually(load, (found) => String(found.status) === status);
  return { sending, load, becomes };
}

/** The workflows of what the processor told, and of the connection itself. */
async function processorEventsOf({ accountId }: Account): Promise<Lived[]> {
  const sql = 'SELECT event_id FROM outbox_events WHERE account_id = $1 AND type = $2';
  const { rows } = await withPostgres((postgres) =>
    postgres.query<{ event_id: string }>(sql, [accountId, PROCESSOR_TOLD]),
  );
  return rows.map(({ event_id: eventId }) => ({
    workflowId: processorEventWorkflowId({ accountId, eventId }),
    runs: 1,
  }));
}
