import { afterAll, beforeAll, expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import type { Grant, PaymentProcessor } from '../../outbound/processors/processor.ts';
import { createStripe } from '../../outbound/processors/stripe.ts';
import { type Card, type FakeStripe, startFakeStripe } from '../processors/stripe-server.ts';

/** The adapter through the official SDK against the fake: what Stripe does not take back. */
let fake: FakeStripe;
let processor: PaymentProcessor;
let grant: Grant;
beforeAll(async () => {
  fake = await startFakeStripe();
  processor = createStripe({ apiBase: fake.url, ...fake.settings });
  grant = await processor.exchangeCode('ac_m1');
});
afterAll(() => fake.stop());

/** A charge of a new payer by this card, which then can be canceled no more. */
async function keptCharge(card: Card) {
  const payer = `cus_${card}`;
  fake.addPayer(payer, card);
  const order = { attemptId: `attempt_${card}`, invoiceId: 'inv_1', payer, paymentMethod: `pm_${card}_${payer}` };
  const sold = { amount: decimal('10.5'), currency: 'USD', description: 'INV-000001' };
  await processor.charge(grant, { ...order, ...sold });
  const { id } = fake.intentOf(payer);
  fake.keep(id);
  return id;
}

test('a waiting charge that it does not cancel waits on, and counts when it is paid', async () => {
  const reference = await keptCharge('needs_3ds');
  expect(await processor.cancelCharge(grant, reference)).toEqual({ status: 'requires_action', reference });
  fake.settle(reference, 'succeeded');
  expect(await processor.cancelCharge(grant, reference)).toEqual({ status: 'succeeded', reference });
});

test('a declined charge that it does not cancel could still be paid: it has not failed', async () => {
  const reference = await keptCharge('needs_3ds');
  fake.settle(reference, 'failed');
  expect(await processor.findCharge(grant, { attemptId: 'attempt_needs_3ds', reference })).toMatchObject({
    status: 'unknown',
  });
});

test('an order of an id under which another one was made is not a failure: how that one stands is found', async () => {
  const payer = 'cus_again';
  fake.addPayer(payer, 'good');
  const order = { attemptId: 'attempt_again', invoiceId: 'inv_1', payer, paymentMethod: `pm_good_${payer}` };
  const sold = { amount: decimal('10.5'), currency: 'USD' };
  const first = await processor.charge(grant, { ...order, ...sold, description: 'INV-000001' });
  const again = { ...order, ...sold, invoiceId: 'inv_of_a_restored_backup', description: 'INV-000002' };
  expect(await processor.charge(grant, again)).toMatchObject({ status: 'unknown' });
  expect(await processor.findCharge(grant, { attemptId: 'attempt_again', reference: null })).toEqual(first);
  expect(fake.chargesOf(payer)).toHaveLength(1);
});
