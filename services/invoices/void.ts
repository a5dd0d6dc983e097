import { decideVoid } from '../../billing/decide/void-invoice.ts';
import { discountsCounted } from '../../billing/discounts/discounts.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import type { Instant } from '../../core/instants.ts';
import { LeftOut } from '../../core/left-out.ts';
import { listCreditUses, listOverpaymentsOf } from '../../sql/postgres/credits/credit-changes.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { listDiscountLines } from '../../sql/postgres/invoices/invoice-parts.ts';
import { type AnswerRoom, fixedRoom } from '../../sql/postgres/page-window.ts';
import { hasLiveAttempt } from '../../sql/postgres/payments/payment-attempts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockDiscountedSubscriptions } from '../../sql/postgres/subscriptions/discounts.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import type { Audited } from '../audit/audited.ts';
import { chargedOn, recordVoid } from '../billing/record-reversals.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { lockInvoiceForChange } from '../lock-for-change.ts';
import { prepareInvoice, type ShownInvoice } from './lines/show-invoice.ts';

/**
 * Voids an invoice, named by its id or its number, and gives back the credits it used.
 * @throws DomainError `not_found`; `conflict` where it is paid or being paid, and while a test clock advances.
 */
export async function voidInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
  { now, room = fixedRoom() }: { now: Instant; room?: AnswerRoom },
): Promise<Audited<ShownInvoice>> {
  await lockDiscountedSubscriptions(tx, accountId, idOrNumber);
  const { invoice: before, at } = await lockInvoiceForChange(tx, accountId, idOrNumber, now);
  const show = await prepareInvoice(tx, accountId, before, room);
  const { invoiceId, customerId } = before;
  const usesOf = async () => [
    ...(await listCreditUses(tx, accountId, invoiceId)),
    ...(await listOverpaymentsOf(tx, accountId, invoiceId)),
  ];
  const holders = new Set([customerId, ...(await usesOf()).map((use) => use.customerId)]);
  await lockCredits(tx, accountId, [...holders]);
  const uses = await usesOf();
  const inFlight = await hasLiveAttempt(tx, accountId, invoiceId);
  const discountsUncounted = await listDiscountsCounted(tx, accountId, before);
  const { invoice, changes } = decideVoid(before, uses, { at, inFlight, discountsUncounted });
  await saveChanges(tx, accountId, changes);
  await recordVoid(tx, accountId, await chargedOn(tx, accountId, before));
  return { before: invoiceToWire(before), after: invoiceToWire(invoice), answer: await show(invoice) };
}

/** The discounts of which the invoice is a period. */
async function listDiscountsCounted(tx: Transaction, accountId: string, invoice: IssuedInvoice): Promise<string[]> {
  const { lines, sections } = await listDiscountLines(tx, accountId, invoice.invoiceId);
  const isConsolidated = invoice.sections.length > 0 || invoice.sections instanceof LeftOut;
  return isConsolidated && sections.length === 0 ? [] : discountsCounted({ ...invoice, lines, sections });
}
