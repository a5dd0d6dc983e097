import type { Instant } from '../../core/instants.ts';
import type { ChangeSet, NamedEvent } from '../change-set.ts';
import type { PlannedRefund, Refund } from '../credits/refunds.ts';
import type { IssuedInvoice } from '../invoices/invoice.ts';
import { postRefundCredited, postRefundFailed, postRefundPaid } from '../ledger/ledger.ts';
import { decideCredit, OVERPAYMENT } from './credits.ts';

/** The invoice whose money goes back, the zone of its customer, and the id of the refund. */
export type Refunded = {
  refundId: string;
  timeZone: string;
  invoice: Pick<IssuedInvoice, 'invoiceId' | 'invoiceNumber'>;
};

/** Decides a new refund. A refund by store credit makes an overpayment credit (spec/credits#refunds). */
export function decideRefund(
  { refundId, timeZone, invoice }: Refunded,
  planned: PlannedRefund,
): { refund: Refund; changes: ChangeSet } {
  const { customerId, amount, currency, createdAt: at, status } = planned;
  const { invoiceId, invoiceNumber } = invoice;
  const events: NamedEvent[] = [{ type: 'refund.created', refundId }];
  if (status === 'succeeded') events.push({ type: 'refund.succeeded', refundId });
  if (planned.method !== 'store_credit') {
    const refund = { ...planned, refundId, creditId: null };
    return { refund, changes: { refunds: [refund], events } };
  }
  const description = planned.description ?? `Refund of invoice ${invoiceNumber}`;
  const of = { ...OVERPAYMENT, customerId, amount, currency, description };
  const { credit, changes } = decideCredit(
    { ...of, posting: postRefundCredited(amount), invoiceId, refundId },
    { at, timeZone },
  );
  const refund = { ...planned, refundId, creditId: credit.creditId };
  return { refund, changes: { ...changes, refunds: [refund], events: [...(changes.events ?? []), ...events] } };
}

/** Decides what changes with the status of a refund: it is paid, it fails before or after it was paid, or it is canceled. */
export function decideRefundChange(before: Refund, refund: Refund, at: Instant): ChangeSet {
  const refundsChanged = [refund];
  if (refund.status === before.status) return { refundsChanged };
  const { refundId, customerId, currency, invoiceId, amount } = refund;
  const subject = { customerId, currency, at, invoiceId, refundId };
  if (refund.status === 'succeeded') {
    const postings = [{ subject, posting: postRefundPaid(amount) }];
    return { refundsChanged, postings, events: [{ type: 'refund.succeeded', refundId }] };
  }
  if (before.status !== 'succeeded') return { refundsChanged };
  return { refundsChanged, postings: [{ subject, posting: postRefundFailed(amount) }] };
}
