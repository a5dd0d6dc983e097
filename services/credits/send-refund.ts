import {
  afterFailure,
  planRefund,
  type Refund,
  type RefundOutcome,
  settleByProcessor,
} from '../../billing/credits/refunds.ts';
import { decideRefundChange } from '../../billing/decide/refunds.ts';
import { unavailable } from '../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { ProcessorError } from '../../outbound/processors/processor.ts';
import { loadCreditedBack } from '../../sql/postgres/credits/given-as-credit.ts';
import { findRefund, listRefundsOfInvoice, lockRefund } from '../../sql/postgres/credits/refunds.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { findInvoice, loadInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { refundToWire } from '../../wire/refunds.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import { recordRefundEnded } from '../billing/record-reversals.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { RefundRef } from '../references.ts';
import { saveRefund } from './save-refund.ts';

/**
 * Sends a refund by original_payment back through the processor that took the money, or asks how one stands that was sent.
 * Repeated after a lost answer it is found by its id, and the money goes back once.
 * @throws DomainError `unavailable` while the processor does not answer or is not connected: then it is tried again.
 */
export async function sendRefund(dependencies: ServiceDependencies, ref: RefundRef): Promise<'pending' | 'settled'> {
  const refund = await inTransaction(dependencies.postgres, ref.accountId, (tx) =>
    findRefund(tx, ref.accountId, ref.refundId),
  );
  // Not there: Postgres was restored from before it was made.
  if (!refund || refund.status === 'failed' || refund.status === 'canceled') return 'settled';
  const outcome = await askProcessor(dependencies, ref, refund);
  return saveRefundOutcome(dependencies, ref, outcome);
}

async function askProcessor(
  { postgres, connections }: ServiceDependencies,
  { accountId }: RefundRef,
  { refundId, invoiceId, amount, currency, processorRefundId }: Refund,
): Promise<RefundOutcome> {
  const invoice = await inTransaction(postgres, accountId, (tx) => findInvoice(tx, accountId, invoiceId));
  const payment = invoice?.payments.find(({ method }) => method !== 'manual');
  if (!payment?.reference) throw new Error(`no processor took the money of invoice ${invoiceId}`);
  try {
    const connected = await connections.find(accountId, payment.method);
    if (!connected) throw unavailable(`${payment.method} is not connected.`);
    const { processor, grant } = connected;
    if (processorRefundId !== null) return await processor.findRefund(grant, processorRefundId);
    return await processor.refund(grant, { refundId, chargeReference: payment.reference, amount, currency });
  } catch (error) {
    if (error instanceof ProcessorError) throw unavailable(`${payment.method} does not answer: ${error.message}`);
    throw error;
  }
}

async function saveRefundOutcome(
  { postgres, clock }: ServiceDependencies,
  { accountId, refundId }: RefundRef,
  outcome: RefundOutcome,
): Promise<'pending' | 'settled'> {
  return inTransaction(postgres, accountId, async (tx) => {
    const before = await lockRefund(tx, accountId, refundId);
    if (!before) throw new Error(`refund ${refundId} is missing`);
    if (before.status === 'failed') return 'settled';
    const customer = await loadCustomer(tx, accountId, before.customerId);
    const at = customer.clockTime ?? clock.now();
    const refund = settleByProcessor(before, outcome, at);
    await saveChanges(tx, accountId, decideRefundChange(before, refund, at));
    if (refund.status === 'pending') return 'pending';
    if (refund.status === before.status) return 'settled';
    const entry = { accountId, action: `refund.${refund.status}`, origin: BY_SYSTEM } as const;
    saveAuditEntry(tx, entry, changed(refundToWire(before), refundToWire(refund)));
    if (refund.status === 'failed') await replaceFailed(tx, { accountId, timeZone: customer.timeZone }, refund, at);
    return 'settled';
  });
}

/** What a cancel gave back, and could not be paid, becomes a credit; a refund by a call waits for another call. */
async function replaceFailed(
  tx: Transaction,
  { accountId, timeZone }: { accountId: string; timeZone: string },
  failed: Refund,
  at: Instant,
): Promise<void> {
  const request = afterFailure(failed);
  const { invoiceId, refundId } = failed;
  if (request === null) return recordRefundEnded(tx, accountId, refundId);
  const invoice = await loadInvoice(tx, accountId, invoiceId);
  const earlier = await listRefundsOfInvoice(tx, accountId, invoiceId);
  const creditedBack = await loadCreditedBack(tx, accountId, invoiceId);
  const planned = planRefund(invoice, earlier, request, { at, today: localDateAt(at, timeZone) }, creditedBack);
  await saveRefund(tx, { accountId, timeZone, invoice, inPlaceOf: refundId }, planned);
}
