import Stripe from 'stripe';
import type { RefundOutcome } from '../../billing/credits/refunds.ts';
import { type ChargeOutcome, type EventSubject, ProcessorError } from './processor.ts';

/** Where our ids stand in what Stripe stores: by them an order is found whose answer was lost. */
export const ATTEMPT_ID = 'meterbook_attempt_id';
export const REFUND_ID = 'meterbook_refund_id';

/** A declined charge that the customer can still save by proving who it is (3-D Secure). */
const NEEDS_AUTHENTICATION = 'authentication_required';

/** How a payment intent stands; `open`: declined, but it would still take another payment method. */
export function outcomeOfIntent(intent: Stripe.PaymentIntent): ChargeOutcome | 'open' {
  const { id: reference, status } = intent;
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', reference };
    case 'processing':
      return { status: 'processing', reference };
    case 'requires_action':
    case 'requires_confirmation':
      return { status: 'requires_action', reference };
    case 'canceled':
      return failedIntent(intent);
    case 'requires_payment_method':
      if (intent.last_payment_error?.code === NEEDS_AUTHENTICATION) return { status: 'requires_action', reference };
      return 'open';
    default:
      return { status: 'unknown', message: `payment intent ${reference} is ${status}` };
  }
}

/** The failure of an intent that takes no money any more. */
export function failedIntent({
  id,
  last_payment_error: error,
  cancellation_reason,
}: Stripe.PaymentIntent): ChargeOutcome {
  const code = error?.decline_code ?? error?.code ?? cancellation_reason ?? 'canceled';
  return { status: 'failed', reference: id, code, message: error?.message ?? 'The payment was canceled.' };
}

/** A refund that waits for the customer's bank is as pending as one that Stripe works on. */
export function outcomeOfRefund({ id: processorRefundId, status }: Stripe.Refund): RefundOutcome {
  if (status === 'succeeded') return { status, processorRefundId };
  if (status === 'failed' || status === 'canceled') return { status: 'failed', processorRefundId };
  return { status: 'pending', processorRefundId };
}

/** What an error of the SDK says, in the port's terms; anything that is not Stripe's stays what it is. */
export function failureFromStripe(error: unknown): unknown {
  const { errors } = Stripe;
  if (!(error instanceof errors.StripeError)) return error;
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return new ProcessorError('revoked', error.message);
  }
  return new ProcessorError(isTransient(error) ? 'away' : 'refused', error.message);
}

/** No answer, a server's failure, too many requests, or the same key still at work: the order may be sent again. */
export function isTransient(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  const { statusCode } = error;
  return statusCode === undefined || statusCode >= 500 || statusCode === 429 || statusCode === 409;
}

/** What an event is about, read from the object that it carries. */
export function subjectOf(event: Stripe.Event): EventSubject | null {
  const { type } = event;
  const object = event.data.object as EventObject;
  const metadata = object.metadata ?? {};
  if (type === 'account.application.deauthorized') return { kind: 'revoked' };
  if (type.startsWith('payment_intent.')) {
    return { kind: 'charge', attemptId: metadata[ATTEMPT_ID] ?? null, reference: object.id };
  }
  if (type.startsWith('charge.dispute.')) {
    const chargeReference = idOf(object.payment_intent);
    return chargeReference === null ? null : { kind: 'dispute', chargeReference, status: object.status ?? 'open' };
  }
  if (type.startsWith('refund.') || type.startsWith('charge.refund.')) {
    return { kind: 'refund', refundId: metadata[REFUND_ID] ?? null, processorRefundId: object.id };
  }
  const payer = payerOf(event, object);
  return payer === null ? null : { kind: 'payer', payer };
}

/** A detached payment method no longer names its customer: what it was before does. */
function payerOf(event: Stripe.Event, object: EventObject): string | null {
  const { type } = event;
  if (/^customer\.(created|updated|deleted)$/.test(type)) return object.id;
  if (type.startsWith('customer.source.')) return idOf(object.customer);
  if (!type.startsWith('payment_method.')) return null;
  const before = event.data.previous_attributes as Pick<EventObject, 'customer'> | undefined;
  return idOf(object.customer) ?? idOf(before?.customer);
}

type Reference = string | { id: string } | null | undefined;
type EventObject = {
  id: string;
  metadata?: Record<string, string> | null;
  status?: string;
  customer?: Reference;
  payment_intent?: Reference;
};

/** The id of what an object refers to, expanded or not. */
export function idOf(reference: Reference): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
