import { settleByHand } from '../../billing/credits/refunds.ts';
import { decideRefundChange } from '../../billing/decide/refunds.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type RefundWire, refundToWire } from '../../wire/refunds.ts';
import { type Audited, changed } from '../audit/audited.ts';
import { recordRefundEnded } from '../billing/record-reversals.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { lockRefundForChange } from '../lock-for-change.ts';
import type { RefundRef } from '../references.ts';

/**
 * Calls off a bank transfer that has not been made.
 * @throws DomainError `not_found`; `conflict` unless it is a bank transfer that waits, and while a test clock advances.
 */
export async function cancelRefund(
  tx: Transaction,
  { accountId, refundId }: RefundRef,
  now: Instant,
): Promise<Audited<RefundWire>> {
  const { refund, at } = await lockRefundForChange(tx, accountId, refundId, now);
  const canceled = settleByHand(refund, 'cancel', at);
  await saveChanges(tx, accountId, decideRefundChange(refund, canceled, at));
  await recordRefundEnded(tx, accountId, refundId);
  return changed(refundToWire(refund), refundToWire(canceled));
}
