import type { Decimal } from '../billing/decimal.ts';
import type { RefundOutcome } from '../billing/refunds.ts';

/** Money that a processor took and is to send back; `amount` in major units of `currency` (an upper-case ISO 4217 code). */
export type RefundOrder = { refundId: string; paymentReference: string; amount: Decimal; currency: string };

/**
 * What a payment processor does for a refund by original_payment (contract 9): one of these stands behind each processor
 * (contract 10), and nothing outside of it knows which one that is.
 */
export type RefundPort = {
  /**
   * Sends the money back. `refundId` is the processor's idempotency key: asked again after a lost answer, it answers for the
   * refund it made, and makes no second one. Throws where the processor can't be reached; then ask again.
   */
  sendRefund(order: RefundOrder): Promise<RefundOutcome>;
};
