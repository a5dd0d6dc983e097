import { settleByHand } from '../../billing/credits/refunds.ts';
import { postRefundPaid } from '../../billing/ledger/ledger.ts';
import type { Instant } from '../../core/instants.ts';
import { updateRefund } from '../../sql/postgres/credits/refunds.ts';
import { insertLedgerTransaction } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type RefundWire, refundToWire } from '../../wire/refunds.ts';
import { type Audited, changed } from '../audit/audited.ts';
import { lockRefundForChange } from '../lock-for-change.ts';
import type { RefundRef } from '../references.ts';

/**
 * Records that a bank transfer has been made.
 * @throws DomainError `not_found`; `conflict` unless it is a bank transfer that waits, and while a test clock advances.
 */
export async function completeRefund(
  tx: Transaction,
  { accountId, refundId }: RefundRef,
  now: Instant,
): Promise<Audited<RefundWire>> {
  const { refund, at } = await lockRefundForChange(tx, accountId, refundId, now);
  const completed = settleByHand(refund, 'complete', at);
  const { invoiceId, customerId, currency, amount } = completed;
  await updateRefund(tx, accountId, completed);
  const subject = { accountId, customerId, currency, at, invoiceId, refundId };
  await insertLedgerTransaction(tx, subject, postRefundPaid(amount));
  const data = refundToWire(completed);
  await insertOutboxEvent(tx, { accountId, type: 'refund.succeeded', subject: `refund/${refundId}`, data });
  return changed(refundToWire(refund), data);
}
