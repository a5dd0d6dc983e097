import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { EventSubject, ProcessorEvent } from './processor.ts';

/** As much of a notification as is read; the SDK's types lack kinds and fields that its own code has. */
export const notification = z.object({
  kind: z.string(),
  sourceMerchantId: z.string().nullish(),
  transaction: z.object({ id: z.string(), orderId: z.string().nullish(), type: z.string().nullish() }).nullish(),
  dispute: z.object({ status: z.string(), transaction: z.object({ id: z.string() }).nullish() }).nullish(),
  oauthAccessRevocation: z.object({ merchantId: z.string().nullish() }).nullish(),
  revokedPaymentMethodMetadata: z.object({ customerId: z.string().nullish() }).nullish(),
  paymentMethodCustomerDataUpdatedMetadata: z
    .object({ paymentMethod: z.object({ customerId: z.string().nullish() }).nullish() })
    .nullish(),
});
export type Notification = z.output<typeof notification>;

const CHARGE_KINDS = new Set(['transaction_settled', 'transaction_settlement_declined', 'transaction_disbursed']);

/**
 * A verified notification as the event that it is. Braintree gives notifications no id; one that is sent again is the same
 * bytes, so their hash is its id.
 */
export function eventFrom(notification: Notification, payload: string): ProcessorEvent {
  const { kind, sourceMerchantId, oauthAccessRevocation } = notification;
  return {
    eventId: `bt_${createHash('sha256').update(payload.trim()).digest('hex').slice(0, 32)}`,
    type: kind,
    externalAccountId: oauthAccessRevocation?.merchantId ?? sourceMerchantId ?? null,
    subject: subjectOf(notification),
  };
}

function subjectOf(notification: Notification): EventSubject | null {
  const { kind, transaction, dispute } = notification;
  if (kind === 'oauth_access_revoked') return { kind: 'revoked' };
  if (kind.startsWith('dispute_')) {
    const chargeReference = dispute?.transaction?.id;
    return chargeReference && dispute ? { kind: 'dispute', chargeReference, status: dispute.status } : null;
  }
  if (transaction && (kind === 'refund_failed' || (CHARGE_KINDS.has(kind) && transaction.type === 'credit'))) {
    return { kind: 'refund', refundId: transaction.orderId || null, processorRefundId: transaction.id };
  }
  if (transaction && CHARGE_KINDS.has(kind)) {
    return { kind: 'charge', attemptId: transaction.orderId || null, reference: transaction.id };
  }
  const payer =
    notification.revokedPaymentMethodMetadata?.customerId ??
    notification.paymentMethodCustomerDataUpdatedMetadata?.paymentMethod?.customerId;
  return payer ? { kind: 'payer', payer } : null;
}
