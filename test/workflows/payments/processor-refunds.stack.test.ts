import { beforeAll, describe, expect, test } from 'vitest';
import { withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, FIRST_DAY, ledgerOf } from '../../stack/billed-customer.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { connectedAccount, fakeStripe, newPayer, sendHook } from '../../stack/processors.ts';

/** Money that goes back through the fake Stripe, whose own ledger says what really went back. */

let account: Awaited<ReturnType<typeof connectedAccount>>;
const stripe = fakeStripe();

beforeAll(async () => {
  account = await connectedAccount();
});

/** A customer whose opening invoice of 29 has been collected. */
async function paidInvoice() {
  const { api } = account;
  const { payer, fields } = await newPayer('good');
  const test_clock_id = await makeClock(api, FIRST_DAY);
  const customerId = await makeCustomer(api, payer, { test_clock_id, ...fields });
  const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
  const subscriptionId = await subscribe(api, { customer_id: customerId, plan_id });
  const load = async () => (await invoicesOf(api, `customer_id=${customerId}`))[0] ?? {};
  const invoice = await eventually(load, ({ status }) => String(status) === 'paid');
  const { id: reference } = await stripe.intentOf(payer);
  return { customerId, subscriptionId, invoiceId: String(invoice.invoice_id), reference, load };
}

const refund = (invoice_id: string, amount: string) => account.api.post('/api/refunds', { invoice_id, amount });

function refundWhen(refundId: Json | undefined, status: string): Promise<Json> {
  const load = async () => (await account.api.get(`/api/refunds/${refundId}`)).body;
  return eventually(load, (found) => String(found.status) === status);
}

/** What Stripe tells about a refund, as it now is there. */
async function told(type: string, reference: string): Promise<void> {
  const known = await stripe.refundOf(reference);
  const event = await stripe.event(type, known ?? {}, { account: account.externalAccountId });
  expect(await sendHook(event)).toBe(200);
}

describe('refunds of original payments', () => {
  test('D8: parallel partial refunds never exceed what was paid', async () => {
    const { invoiceId, reference, load } = await paidInvoice();
    const answers = await Promise.all([...Array(10).keys()].map(() => refund(invoiceId, '5')));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
    for (const { body } of made) {
      expect(body).toMatchObject({ method: 'original_payment', status: 'pending' });
      expect((await refundWhen(body.refund_id, 'succeeded')).processor_refund_id).toMatch(/^re_/);
    }
    expect((await load()).amount_refunded).toBe('25');
    expect((await stripe.refundsOf(reference)).map(({ amount }) => amount)).toEqual([500, 500, 500, 500, 500]);
  });

  test('one that takes days is pending until an event tells', async () => {
    const { invoiceId, reference, load } = await paidInvoice();
    const { body } = await refund(invoiceId, '10.07');
    const loadProcessorId = async () => (await account.api.get(`/api/refunds/${body.refund_id}`)).body;
    await eventually(loadProcessorId, (found) => found.processor_refund_id !== null);
    const known = await stripe.refundOf(reference);
    await stripe.settleRefund(String(known?.id), 'succeeded');
    await told('refund.updated', reference);
    await refundWhen(body.refund_id, 'succeeded');
    expect((await load()).amount_refunded).toBe('10.07');
  });

  test('one that had succeeded fails late: its money counts as kept, and may be refunded again', async () => {
    const { invoiceId, customerId, reference, load } = await paidInvoice();
    const { body } = await refund(invoiceId, '29');
    await refundWhen(body.refund_id, 'succeeded');
    await stripe.settleRefund(String((await stripe.refundOf(reference))?.id), 'failed');
    for (const type of ['refund.failed', 'charge.refund.updated', 'refund.failed']) await told(type, reference);
    expect(await refundWhen(body.refund_id, 'failed')).toMatchObject({ completed_at: null });
    expect((await load()).amount_refunded).toBe('0');
    expect(balanceOf(await ledgerOf(account.api, customerId), 'cash')).toBe('29');
    expect((await refund(invoiceId, '29')).status).toBe(201);
  });

  test('what a switch to another billing period gives back is a credit: the customer goes on', async () => {
    const { api } = account;
    const { customerId, subscriptionId, reference } = await paidInvoice();
    const new_plan_id = await makePlan(api, { name: 'Yearly', billing_period: 'annual', recurring_fee: 10 });
    const switched = await api.post(`/api/subscriptions/${subscriptionId}/switch_plan/`, { new_plan_id });
    expect(switched.status, switched.text).toBe(200);
    // On the first day: the whole fee of 29.
    const { exact } = await api.get(`/api/credits?customer_id=${customerId}`);
    expect(exact.results).toMatchObject([{ reason: 'overpayment_credit', amount: '29' }]);
    expect(await stripe.refundsOf(reference)).toEqual([]);
  });

  test('what a cancel gives back goes back where the money came from', async () => {
    const { subscriptionId, reference, load } = await paidInvoice();
    const canceled = await account.api.post(`/api/subscriptions/${subscriptionId}/cancel`, {
      flat_fee_behavior: 'refund',
    });
    expect(canceled.status).toBe(200);
    await eventually(load, ({ amount_refunded }) => String(amount_refunded) === '29');
    expect(await stripe.refundsOf(reference)).toMatchObject([{ amount: 2900 }]);
  });

  test('what a cancel gave back and the bank sends back becomes store credit, once', async () => {
    const { api } = account;
    const { subscriptionId, customerId, invoiceId, reference, load } = await paidInvoice();
    const body = { flat_fee_behavior: 'refund' };
    expect((await api.post(`/api/subscriptions/${subscriptionId}/cancel`, body)).status).toBe(200);
    await eventually(load, ({ amount_refunded }) => String(amount_refunded) === '29');
    await stripe.settleRefund(String((await stripe.refundOf(reference))?.id), 'failed');
    for (const type of ['refund.failed', 'charge.refund.updated', 'refund.failed']) await told(type, reference);
    const listed = async () => itemsOf((await api.get('/api/refunds')).exact.results);
    const ofInvoice = async () => (await listed()).filter(({ invoice_id }) => String(invoice_id) === invoiceId);
    const [inPlace, failed] = await eventually(ofInvoice, (refunds) => refunds.length > 1);
    expect(failed).toMatchObject({ method: 'original_payment', status: 'failed' });
    expect(inPlace).toMatchObject({ method: 'store_credit', status: 'succeeded', amount: '29' });
    const { exact } = await api.get(`/api/credits?customer_id=${customerId}`);
    const { credit_id } = inPlace ?? {};
    expect(exact.results).toMatchObject([{ credit_id, reason: 'overpayment_credit', amount: '29', status: 'active' }]);
    expect((await load()).amount_refunded).toBe('29');
    const ledger = await ledgerOf(api, customerId);
    expect([balanceOf(ledger, 'cash'), balanceOf(ledger, 'customer_credits')]).toEqual(['29', '-29']);
  });
});

test('a dispute is kept with its charge; the invoice stays paid', async () => {
  const { invoiceId, reference, load } = await paidInvoice();
  const dispute = { id: 'dp_1', object: 'dispute', payment_intent: reference, status: 'needs_response' };
  const event = await stripe.event('charge.dispute.created', dispute, { account: account.externalAccountId });
  expect(await sendHook(event)).toBe(200);
  const sql = 'SELECT dispute_status FROM payment_attempts WHERE invoice_id = $1';
  const loadDispute = () =>
    withPostgres(
      async (postgres) => (await postgres.query<{ dispute_status: string | null }>(sql, [invoiceId])).rows[0],
    );
  await eventually(loadDispute, (row) => row?.dispute_status === 'needs_response');
  expect((await load()).status).toBe('paid');
});
