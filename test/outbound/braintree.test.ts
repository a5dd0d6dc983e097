import { afterAll, beforeAll, expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { createBraintree } from '../../outbound/processors/braintree.ts';
import type { Grant, PaymentProcessor } from '../../outbound/processors/processor.ts';
import { type FakeBraintree, startFakeBraintree } from '../processors/braintree-server.ts';

/** The adapter through the official SDK against the fake: what a lost answer, a decline and a notification come to. */
let fake: FakeBraintree;
let processor: PaymentProcessor;
let grant: Grant;
beforeAll(async () => {
  fake = await startFakeBraintree();
  processor = createBraintree({ apiBase: fake.url, ...fake.settings });
  grant = await processor.exchangeCode('bt_code_m1');
});
afterAll(() => fake.stop());

let orders = 0;
const order = (payer: string, over: object = {}) => ({
  attemptId: `attempt_${++orders}`,
  ...{ invoiceId: 'inv_1', payer, paymentMethod: `card_${payer}`, description: 'INV-000001' },
  ...{ amount: decimal('10.5'), currency: 'USD' },
  ...over,
});
function payer(card: Parameters<FakeBraintree['addPayer']>[1]): string {
  const name = `payer${++orders}`;
  fake.addPayer(name, card);
  return name;
}

test('connecting: the address with our state, a grant for a code, a code that is unknown', async () => {
  const url = new URL(processor.authorizationUrl({ state: 's 1', redirectUri: 'https://we.example/callback' }));
  expect(url.origin).toBe(fake.url);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ client_id: fake.settings.clientId, state: 's 1', redirect_uri: 'https://we.example/callback' },
    scope: 'read_write',
  });
  expect(grant).toMatchObject({ externalAccountId: 'm1', accessToken: expect.stringContaining('$m1$') });
  await expect(processor.exchangeCode('unknown')).rejects.toMatchObject({ failure: 'refused' });
});

test('a grant is renewed, which ends the one before it; revoked, every call says so', async () => {
  const old = await processor.exchangeCode('bt_code_m2');
  const fresh = (await processor.refreshGrant(old)) ?? old;
  expect(fresh.externalAccountId).toBe('m2');
  await expect(processor.findPaymentMethod(old, 'nobody')).rejects.toMatchObject({ failure: 'revoked' });
  expect(await processor.findPaymentMethod(fresh, 'nobody')).toBeNull();
  await processor.revokeGrant(fresh);
  await processor.revokeGrant(fresh);
  expect(fake.isRevoked('m2')).toBe(true);
  await expect(processor.charge(fresh, order(payer('good')))).rejects.toMatchObject({ failure: 'revoked' });
});

test('payment methods: the one on file, none, one that has expired', async () => {
  const good = payer('good');
  expect(await processor.findPaymentMethod(grant, good)).toBe(`card_${good}`);
  expect(await processor.findPaymentMethod(grant, payer(null))).toBeNull();
  expect(await processor.findPaymentMethod(grant, payer('expired'))).toBeNull();
});

test.each([
  ['good', 'USD', '10.5', 1050],
  ['unsettled', 'JPY', '500', 500],
  ['good', 'KWD', '5.12', 5120],
] as const)('a sale is paid: %s, %s', async (card, currency, amount, minor) => {
  const name = payer(card);
  const outcome = await processor.charge(grant, order(name, { currency, amount: decimal(amount) }));
  expect(outcome.status).toBe('succeeded');
  expect(fake.chargesOf(name)).toMatchObject([{ amount: minor, currency }]);
});

test('a decline, a payer who must be present, a currency that the account does not take: no money', async () => {
  const [declined, absent, good] = [payer('declined'), payer('needs_3ds'), payer('good')];
  expect(await processor.charge(grant, order(declined))).toMatchObject({
    ...{ status: 'failed', code: 'processor_declined', message: 'Insufficient Funds' },
  });
  expect(await processor.charge(grant, order(absent))).toMatchObject({ code: 'authentication_required' });
  // The one merchant account in euros is suspended.
  expect(await processor.charge(grant, order(good, { currency: 'EUR' }))).toMatchObject({
    code: 'currency_not_supported',
  });
  expect([declined, absent, good].flatMap(fake.chargesOf)).toEqual([]);
});

test("a bank's money is on its way until it has settled, and may not come", async () => {
  const sent = order(payer('bank'));
  const outcome = await processor.charge(grant, sent);
  if (outcome.status !== 'processing') throw new Error(outcome.status);
  const { reference } = outcome;
  fake.settle(reference, 'settled');
  expect(await processor.findCharge(grant, { attemptId: sent.attemptId, reference })).toEqual({
    status: 'succeeded',
    reference,
  });
  const other = await processor.charge(grant, order(payer('bank')));
  if (other.status !== 'processing') throw new Error(other.status);
  fake.settle(other.reference, 'settlement_declined');
  expect(await processor.findCharge(grant, { attemptId: '', reference: other.reference })).toMatchObject({
    status: 'failed',
  });
});

test('D10: a time-out after the sale was made: found by our id, and the same order again makes no second one', async () => {
  const name = payer('good');
  const sent = order(name);
  fake.trouble(name, 'lose');
  expect(await processor.charge(grant, sent)).toMatchObject({ status: 'unknown' });
  const found = await processor.findCharge(grant, { attemptId: sent.attemptId, reference: null });
  expect(found).toMatchObject({ status: 'succeeded' });
  expect(await processor.charge(grant, sent)).toEqual(found);
  expect([fake.chargesOf(name).length, fake.ordersOf(name)]).toEqual([1, 1]);
});

test.each([429, 500] as const)('a storm of %i: unknown, nothing taken, then one', async (status) => {
  const name = payer('good');
  const sent = order(name);
  fake.trouble(name, status, status);
  for (let i = 0; i < 2; i++) expect(await processor.charge(grant, sent)).toMatchObject({ status: 'unknown' });
  expect(await processor.findCharge(grant, { attemptId: sent.attemptId, reference: null })).toBeNull();
  expect(await processor.charge(grant, sent)).toMatchObject({ status: 'succeeded' });
  expect(fake.chargesOf(name).length).toBe(1);
});

test('a sale is taken back while it waits; one that has settled stands', async () => {
  const waiting = await processor.charge(grant, order(payer('bank')));
  if (waiting.status !== 'processing') throw new Error(waiting.status);
  expect(await processor.cancelCharge(grant, waiting.reference)).toMatchObject({ status: 'failed' });
  const settled = await processor.charge(grant, order(payer('good')));
  if (settled.status !== 'succeeded') throw new Error(settled.status);
  expect(await processor.cancelCharge(grant, settled.reference)).toEqual(settled);
});

test('refunds: each id once, never more than was paid, and only when the sale has settled', async () => {
  const sold = await processor.charge(grant, order(payer('unsettled')));
  if (sold.status !== 'succeeded') throw new Error(sold.status);
  const refund = (refundId: string, amount: string) =>
    processor.refund(grant, { refundId, chargeReference: sold.reference, amount: decimal(amount), currency: 'USD' });
  await expect(refund('refund_a', '4')).rejects.toMatchObject({ failure: 'away' });
  fake.settle(sold.reference, 'settled');
  const made = await refund('refund_a', '4');
  expect(made.status).toBe('succeeded');
  expect(await refund('refund_a', '4')).toEqual(made);
  expect(await refund('refund_b', '6.51')).toEqual({ status: 'failed', processorRefundId: null });
  expect(fake.ledger.refunds.filter(({ chargeReference }) => chargeReference === sold.reference)).toHaveLength(1);
  expect(await processor.findRefund(grant, made.processorRefundId ?? '')).toEqual(made);
});

test('a notification of another kind, or of a shape that nobody knows, is understood to be about nothing of ours', async () => {
  const unexpected: [kind: string, subject: Parameters<FakeBraintree['notification']>[1], type?: string][] = [
    ['check', { check: 'true' }],
    ['subscription_charged_successfully', { subscription: { id: 's1' } }, 'unreadable'],
    ['a_kind_of_next_year', { anything: { id: 'x' } }],
    ['transaction_settled', { transaction: { status: 'settled' } }, 'unreadable'],
    ['dispute_opened', { dispute: { id: 'd1' } }, 'unreadable'],
    ['payment_method_revoked_by_customer', { 'a-card-of-next-year': { token: 't' } }],
  ];
  for (const [kind, subject, type = kind] of unexpected) {
    const event = await processor.parseEvent(fake.notification(kind, subject), {}, 0);
    expect(event, kind).toMatchObject({ type, subject: null });
  }
});

test('notifications: what each is about, the same id when it is sent again; a forged one is refused', async () => {
  const parse = (form: string) => processor.parseEvent(form, {}, 0);
  const transaction = { id: 't1', type: 'sale', 'order-id': 'attempt_9', status: 'settled' };
  const settled = fake.notification('transaction_settled', { transaction });
  const event = await parse(settled);
  expect(event).toMatchObject({
    ...{ type: 'transaction_settled', externalAccountId: 'm1' },
    subject: { kind: 'charge', attemptId: 'attempt_9', reference: 't1' },
  });
  expect(await parse(settled)).toEqual(event);
  const subjectOf = async (kind: string, subject: Parameters<FakeBraintree['notification']>[1]) =>
    (await parse(fake.notification(kind, subject))).subject;
  expect(await subjectOf('refund_failed', { transaction: { ...transaction, type: 'credit' } })).toEqual({
    ...{ kind: 'refund', refundId: 'attempt_9', processorRefundId: 't1' },
  });
  const dispute = { id: 'd1', status: 'open', transaction: { id: 't1' } };
  expect(await subjectOf('dispute_opened', { dispute })).toEqual({
    kind: 'dispute',
    chargeReference: 't1',
    status: 'open',
  });
  expect(await subjectOf('oauth_access_revoked', { 'oauth-application-revocation': { 'merchant-id': 'm7' } })).toEqual({
    kind: 'revoked',
  });
  expect(await subjectOf('check', { check: true })).toBeNull();
  const forged = fake.notification('transaction_settled', { transaction }, { secret: 'public_test:another' });
  for (const form of [
    forged,
    settled.replace('bt_signature=public_test', 'bt_signature=other'),
    '',
    'bt_payload=%00',
  ]) {
    await expect(parse(form)).rejects.toMatchObject({ failure: 'forged' });
  }
});
