import { planRefund } from '../../billing/credits/refunds.ts';
import type { Instant } from '../../core/instants.ts';
import { loadCreditedBack } from '../../sql/postgres/credits/given-as-credit.ts';
import { listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type RefundCreate, type RefundWire, refundToWire } from '../../wire/refunds.ts';
import { type Audited, created } from '../audit/audited.ts';
import { lockInvoiceForChange } from '../lock-for-change.ts';
import { saveRefund } from './save-refund.ts';

/**
 * Gives back money that was paid for an invoice; what goes through a processor is sent by a workflow.
 * @throws DomainError `not_found`, `invalid`; `conflict` where nothing is left to give back, and while a test clock advances.
 */
export async function createRefund(
  tx: Transaction,
  accountId: string,
  wanted: RefundCreate,
  now: Instant,
): Promise<Audited<RefundWire>> {
  const { invoice, customer, at, today } = await lockInvoiceForChange(tx, accountId, wanted.invoice_id, now);
  const earlier = await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
  const creditedBack = await loadCreditedBack(tx, accountId, invoice.invoiceId);
  const planned = planRefund(invoice, earlier, wanted, { at, today }, creditedBack);
  const of = { accountId, timeZone: customer.timeZone, invoice };
  return created(refundToWire(await saveRefund(tx, of, planned)));
}
