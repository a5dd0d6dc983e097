import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  leftToCredit,
  planRefund,
  type Refund,
  type RefundRequest,
  refundableAmount,
  settleByHand,
  settleByProcessor,
} from '../../../billing/credits/refunds.ts';
import { decimal, toPlain } from '../../../core/decimal.ts';
import { at, issuedInvoice } from '../fixtures.ts';

const NOW = at('2026-11-20T10:00:00Z');
const WHEN = { at: NOW, today: '2026-11-20' };
const ASKED: RefundRequest = { reason: null, description: null };

function refund(over: Partial<Refund> = {}): Refund {
  const planned = planRefund(paid('100'), [], { ...ASKED, method: 'bank_transfer' }, WHEN);
  return { ...planned, refundId: 'refund_1', creditId: null, ...over };
}

function paid(amount: string, method = 'manual') {
  const payment = { paymentId: 'pay_1', method, amount: decimal(amount), reference: null, paidAt: NOW };
  return issuedInvoice({ status: 'paid', total: decimal(amount), amountPaid: decimal(amount), payments: [payment] });
}

const earlier = (...rows: [string, Refund['status']][]) =>
  rows.map(([amount, status]) => refund({ amount: decimal(amount), status }));

describe('refundableAmount', () => {
  // "The sum of refunds not failed or canceled never exceeds what was paid" (spec/credits#refunds)
  it.each([
    [earlier(), '100'],
    [earlier(['30', 'pending'], ['20', 'succeeded']), '50'],
    [earlier(['30', 'failed'], ['20', 'canceled']), '100'],
    [earlier(['99.99', 'succeeded'], ['0.01', 'pending'], ['5', 'failed']), '0'],
  ])('case %#', (refunds, expected) => {
    expect(toPlain(refundableAmount(paid('100'), refunds))).toBe(expected);
  });
});

// spec/credits#given-back-once
describe('what was given back as credits', () => {
  const back = (given: number, applied = 0) => ({ given: decimal(given), applied: decimal(applied) });
  const settled = (amountPaid: number, creditsApplied: number) => {
    return issuedInvoice({ amountPaid: decimal(amountPaid), creditsApplied: decimal(creditsApplied) });
  };
  it.each([
    ['a credit of 20 of a paid 30', settled(30, 0), [], back(20), '10'],
    ['with a refund on its way', settled(30, 0), earlier(['8', 'pending']), back(20), '2'],
    ['all of it', settled(30, 0), [], back(30), '0'],
    ['what paid for the invoice itself came from no money', settled(11, 22), [], back(22, 22), '11'],
    ['other credits had paid 25 of 30: 10 are left, of which 5 are money', settled(5, 25), [], back(20), '5'],
    ['of these, 27 given back', settled(5, 25), [], back(27), '3'],
  ])('%s', (_, invoice, refunds, credited, left) => {
    expect(toPlain(refundableAmount(invoice, refunds, credited))).toBe(left);
  });

  it.each([
    ['nothing yet', '0', '0', '33'],
    ['refunded', '33', '0', '0'],
    ['in part', '10', '11', '12'],
    ['never below 0', '30', '22', '0'],
  ])('left to give back of 30 and tax 3: %s', (_, refunded, credited, left) => {
    const gone = { refunded: decimal(refunded), credited: decimal(credited) };
    expect(toPlain(leftToCredit({ charges: decimal(30), taxRate: decimal(10), ...gone }, 2))).toBe(left);
  });
});

describe('planRefund', () => {
  // "amount? (default: all that is left)"
  it('gives back all that is left', () => {
    const planned = planRefund(paid('100'), earlier(['30', 'pending'], ['9', 'canceled']), ASKED, WHEN);
    expect(toPlain(planned.amount)).toBe('70');
  });

  // "method ... default original_payment where a processor took the money, else store_credit"
  // "expected_by (original_payment 10 business days, bank_transfer 3)", "store_credit ... is succeeded at once"
  it.each([
    ['manual', undefined, 'store_credit', 'succeeded', null, NOW],
    ['manual', 'store_credit', 'store_credit', 'succeeded', null, NOW],
    ['manual', 'bank_transfer', 'bank_transfer', 'pending', '2026-11-25', null],
    ['stripe', undefined, 'original_payment', 'pending', '2026-12-04', null],
    ['braintree', 'original_payment', 'original_payment', 'pending', '2026-12-04', null],
    ['stripe', 'store_credit', 'store_credit', 'succeeded', null, NOW],
    ['stripe', 'bank_transfer', 'bank_transfer', 'pending', '2026-11-25', null],
  ] as const)('paid by %s, asked for %s: %s', (taker, method, chosen, status, expectedBy, completedAt) => {
    const planned = planRefund(paid('100', taker), [], { ...ASKED, method }, WHEN);
    expect(planned).toMatchObject({ method: chosen, status, expectedBy, completedAt, createdAt: NOW });
  });

  it('names its invoice, customer, currency and what the caller said of it', () => {
    const planned = planRefund(paid('100'), [], { ...ASKED, amount: decimal('0.5'), reason: 'outage' }, WHEN);
    expect(planned).toMatchObject({
      invoiceId: 'inv_1',
      customerId: 'c1',
      currency: 'USD',
      reason: 'outage',
      description: null,
      processorRefundId: null,
    });
    expect(toPlain(planned.amount)).toBe('0.5');
  });

  it.each([
    ['more than was paid', paid('100'), [], { amount: decimal('100.01') }, 'The invoice is paid and has 100 left'],
    ['more than is left', paid('100'), earlier(['30', 'pending']), { amount: decimal(71) }, 'has 70 left to refund'],
    ['what has all gone back', paid('100'), earlier(['100', 'succeeded']), {}, 'has nothing left to refund'],
    ['what is not paid', issuedInvoice({ status: 'open' }), [], {}, 'The invoice is open and has nothing left'],
    // "original_payment without a processor's payment: 409"
    ['a processor that took nothing', paid('100'), [], { method: 'original_payment' }, 'No payment processor took'],
  ] as const)('refuses %s', (_, invoice, refunds, over, message) => {
    expect(() => planRefund(invoice, refunds, { ...ASKED, ...over }, WHEN)).toThrow(
      expect.objectContaining({ code: 'conflict', message: expect.stringContaining(message) }),
    );
  });

  // "A money amount sent with more decimals than its currency has is 422" (spec/api#numbers)
  it.each([
    ['USD', '0.001', 2],
    ['JPY', '0.5', 0],
    ['KWD', '0.0001', 3],
  ])('refuses money finer than %s', (currency, amount, places) => {
    const invoice = { ...paid('100'), currency };
    expect(() => planRefund(invoice, [], { ...ASKED, amount: decimal(amount) }, WHEN)).toThrow(
      expect.objectContaining({ fields: { amount: [`Must have at most ${places} decimals in ${currency}.`] } }),
    );
  });
});

describe('settleByHand', () => {
  it('completes or cancels a pending bank transfer', () => {
    expect(settleByHand(refund(), 'complete', 7)).toMatchObject({ status: 'succeeded', completedAt: 7 });
    expect(settleByHand(refund(), 'cancel', 7)).toMatchObject({ status: 'canceled', completedAt: null });
  });

  // "complete|cancel (bank transfers, by hand)"
  it.each(['complete', 'cancel'] as const)('does not %s a refund by another way, or one that is final', (trigger) => {
    expect(() => settleByHand(refund({ method: 'original_payment' }), trigger, 7)).toThrow('only bank transfers');
    for (const status of ['succeeded', 'failed', 'canceled'] as const) {
      expect(() => settleByHand(refund({ status }), trigger, 7)).toThrow(`The refund is ${status} and cannot be`);
    }
  });
});

describe('settleByProcessor', () => {
  const asked = refund({ method: 'original_payment' });
  const processorRefundId = 're_1';

  it.each([
    [
      { status: 'pending', processorRefundId },
      { status: 'pending', processorRefundId, completedAt: null },
    ],
    [
      { status: 'succeeded', processorRefundId },
      { status: 'succeeded', processorRefundId, completedAt: 7 },
    ],
    [
      { status: 'failed', processorRefundId: null },
      { status: 'failed', processorRefundId: null, completedAt: null },
    ],
  ] as const)('%j', (outcome, expected) => {
    expect(settleByProcessor(asked, outcome, 7)).toMatchObject(expected);
  });

  it('one that has succeeded stays so when it is told again, and may fail late; a failed one is final', () => {
    const succeeded = settleByProcessor(asked, { status: 'succeeded', processorRefundId }, 7);
    for (const status of ['pending', 'succeeded'] as const) {
      expect(settleByProcessor(succeeded, { status, processorRefundId }, 8)).toBe(succeeded);
    }
    const failed = settleByProcessor(succeeded, { status: 'failed', processorRefundId }, 8);
    expect(failed).toMatchObject({ status: 'failed', processorRefundId, completedAt: null });
    expect(() => settleByProcessor(failed, { status: 'succeeded', processorRefundId }, 9)).toThrow('is failed');
  });

  it('one about another way is a bug', () => {
    expect(() => settleByProcessor(refund(), { status: 'pending', processorRefundId }, 8)).toThrow('no processor');
  });
});

// "A refund of the paid invoice where a processor took the money, else an overpayment credit" (spec/subscriptions#cancel)
describe('afterFailure', () => {
  it('makes what a cancel gave back store credit, and leaves a refund by a call to the caller', () => {
    const failed = refund({ amount: decimal('9.5'), method: 'original_payment', status: 'failed' });
    expect(afterFailure(failed)).toBeNull();
    const request = afterFailure({ ...failed, isProration: true }) ?? ASKED;
    const planned = planRefund(paid('10', 'stripe'), [failed], request, WHEN);
    expect(planned).toMatchObject({
      method: 'store_credit',
      status: 'succeeded',
      completedAt: NOW,
      isProration: false,
    });
    expect(toPlain(planned.amount)).toBe('9.5');
    expect(planned.description).toBe('In the place of refund refund_1, which failed');
  });
});
