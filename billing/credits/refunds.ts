import { addBusinessDays } from '../../core/business-days.ts';
import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { conflict, invalid } from '../../core/domain-error.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import type { IssuedInvoice, Payment } from '../invoices/invoice.ts';
import { nextRefundStatus, type RefundStatus } from '../subscriptions/states.ts';

export const REFUND_METHODS = ['original_payment', 'bank_transfer', 'store_credit'] as const;
export type RefundMethod = (typeof REFUND_METHODS)[number];

/** spec/credits#refunds. `amount` in major units; `completedAt` is set when the money is back, `creditId` for store credit. */
export type Refund = {
  refundId: string;
  invoiceId: string;
  customerId: string;
  amount: Decimal;
  /** Upper-case ISO 4217 code. */
  currency: string;
  method: RefundMethod;
  reason: string | null;
  description: string | null;
  status: RefundStatus;
  creditId: string | null;
  /** A cancel has made it (spec/subscriptions#cancel): where it fails, store credit takes its place. */
  isProration: boolean;
  processorRefundId: string | null;
  /** The day, in the customer's zone, by which the money is back; null for store credit, which is there at once. */
  expectedBy: LocalDate | null;
  createdAt: Instant;
  completedAt: Instant | null;
};

/** A refund before saving gives it its id, and its credit's. */
export type PlannedRefund = Omit<Refund, 'refundId' | 'creditId'>;

/** What the caller asks: `amount` undefined is all that is left, `method` undefined the default of its invoice. */
export type RefundRequest = {
  amount?: Decimal | undefined;
  method?: RefundMethod | undefined;
  reason: string | null;
  description: string | null;
  isProration?: boolean;
};

/** spec/credits#refunds: "expected_by (original_payment 10 business days, bank_transfer 3)". */
const BUSINESS_DAYS: Record<RefundMethod, number | null> = {
  original_payment: 10,
  bank_transfer: 3,
  store_credit: null,
};

/** What of an invoice was given back as credits, with tax, and what of that has paid for that same invoice. */
export type CreditedBack = { given: Decimal; applied: Decimal };

const NOTHING_CREDITED: CreditedBack = { given: ZERO, applied: ZERO };

/**
 * What is paid and has not gone back yet, nor is on its way: refunds that failed or were canceled do not count, credits that
 * a cancel or a switch gave back do (spec/credits#refunds). Never below 0.
 */
export function refundableAmount(
  { amountPaid, creditsApplied }: Pick<IssuedInvoice, 'amountPaid' | 'creditsApplied'>,
  refunds: readonly Pick<Refund, 'amount' | 'status'>[],
  { given, applied }: CreditedBack = NOTHING_CREDITED,
): Decimal {
  const held = sum(refunds.filter(({ status }) => isHeld(status)).map(({ amount }) => amount));
  // What other credits have paid of it may be what was given back; a credit given back that paid for it came from no money.
  const settled = amountPaid.plus(creditsApplied).minus(applied);
  const left = min(amountPaid, settled.minus(given.minus(applied))).minus(held);
  return left.gt(0) ? left : ZERO;
}

function isHeld(status: RefundStatus): boolean {
  return status === 'pending' || status === 'succeeded';
}

/** What an invoice has charged without tax, what it takes back left out, and what has gone back of it, with tax. */
export type GoneBack = { charges: Decimal; taxRate: Decimal; refunded: Decimal; credited: Decimal };

/**
 * What can still be given back of an invoice's charges, with tax: refunds, also those under way until they fail, and credits
 * that were given back count against the whole invoice (spec/credits#given-back-once). Never below 0.
 */
export function leftToCredit({ charges, taxRate, refunded, credited }: GoneBack, places: number): Decimal {
  const tax = roundHalfAwayFromZero(charges.times(taxRate).shiftedBy(-2), places);
  const left = charges.plus(tax).minus(refunded).minus(credited);
  return left.gt(0) ? left : ZERO;
}

/**
 * The refund of a request, given the invoice's earlier refunds and what was given back of it as credits; `today` is the customer's date at `at`. Store credit has
 * succeeded at once, anything else is pending.
 * @throws DomainError `invalid` for money finer than the currency; `conflict` for more than is left, and for
 * original_payment where no processor took the money (spec/credits#refunds).
 */
export function planRefund(
  invoice: IssuedInvoice,
  earlier: readonly Refund[],
  { amount: asked, method: chosen, reason, description, isProration = false }: RefundRequest,
  { at, today }: { at: Instant; today: LocalDate },
  creditedBack: CreditedBack = NOTHING_CREDITED,
): PlannedRefund {
  const { invoiceId, customerId, currency } = invoice;
  const { exponent } = currencyOf(currency);
  if ((asked?.decimalPlaces() ?? 0) > exponent) {
    throw invalid({ amount: [`Must have at most ${exponent} decimals in ${currency}.`] });
  }
  const left = refundableAmount(invoice, earlier, creditedBack);
  if (!left.gt(0)) throw conflict(`The invoice is ${invoice.status} and has nothing left to refund.`);
  const amount = asked ?? left;
  if (amount.gt(left)) throw conflict(`The invoice is ${invoice.status} and has ${left.toFixed()} left to refund.`);
  const method = refundMethod(invoice.payments, chosen);
  const days = BUSINESS_DAYS[method];
  const atOnce = method === 'store_credit';
  return {
    invoiceId,
    customerId,
    amount,
    currency,
    method,
    reason,
    description,
    isProration,
    status: atOnce ? 'succeeded' : 'pending',
    processorRefundId: null,
    expectedBy: days === null ? null : addBusinessDays(today, days),
    createdAt: at,
    completedAt: atOnce ? at : null,
  };
}

/**
 * A pending bank transfer after somebody has made it, or decided not to (spec/credits#refunds: "by hand").
 * @throws DomainError `conflict` for a refund that is not pending, or that is not a bank transfer.
 */
export function settleByHand(refund: Refund, trigger: 'complete' | 'cancel', at: Instant): Refund {
  const status = nextRefundStatus(refund.status, trigger);
  if (refund.method !== 'bank_transfer') {
    throw conflict(`The refund is ${refund.status} by ${refund.method}; only bank transfers are settled by hand.`);
  }
  return { ...refund, status, completedAt: status === 'succeeded' ? at : null };
}

/** What a processor says of a refund it was asked for. It may say so at once, or later for one that it called pending. */
export type RefundOutcome =
  | { status: 'pending' | 'succeeded'; processorRefundId: string }
  | { status: 'failed'; processorRefundId: string | null };

/**
 * A refund by original_payment after its processor's word, which may come twice and late: one that has succeeded may still
 * fail, when the customer's bank sends the money back. Throws `conflict` for one that has failed.
 */
export function settleByProcessor(refund: Refund, outcome: RefundOutcome, at: Instant): Refund {
  if (refund.method !== 'original_payment') throw new Error(`no processor makes refund ${refund.refundId}`);
  if (refund.status === 'succeeded' && outcome.status !== 'failed') return refund;
  const triggers = { pending: null, succeeded: 'complete', failed: 'fail' } as const;
  const trigger = triggers[outcome.status];
  const status = trigger === null ? refund.status : nextRefundStatus(refund.status, trigger);
  const processorRefundId = outcome.processorRefundId ?? refund.processorRefundId;
  return { ...refund, status, processorRefundId, completedAt: status === 'succeeded' ? at : null };
}

/**
 * What takes the place of a refund that failed: nothing where a call asked for it, who may ask again. What a cancel gave back
 * is owed all the same: "else an overpayment credit" (spec/subscriptions#cancel).
 */
export function afterFailure({ refundId, amount, reason, isProration }: Refund): RefundRequest | null {
  if (!isProration) return null;
  return { amount, method: 'store_credit', reason, description: `In the place of refund ${refundId}, which failed` };
}

/** spec/credits#refunds: "default original_payment where a processor took the money, else store_credit". */
function refundMethod(payments: readonly Payment[], chosen: RefundMethod | undefined): RefundMethod {
  const byProcessor = payments.some(({ method }) => method !== 'manual');
  if (chosen === 'original_payment' && !byProcessor) {
    throw conflict('No payment processor took the money of this invoice; refund it by bank_transfer or store_credit.');
  }
  return chosen ?? (byProcessor ? 'original_payment' : 'store_credit');
}
