import type { Refund } from '../../billing/credits/refunds.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { feeKeys } from '../../billing/settle/charge-keys.ts';
import { partsRefunded, partsTakenBack, withTaxShared } from '../../billing/settle/recorded-charges.ts';
import { currencyOf } from '../../core/currencies.ts';
import type { Decimal } from '../../core/decimal.ts';
import { LeftOut } from '../../core/left-out.ts';
import { lockCharges } from '../../sql/postgres/charges/charges.ts';
import { listCustomersBilledOn } from '../../sql/postgres/charges/unrecorded-invoices.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { recordEarlierInvoices } from './record-earlier-invoices.ts';
import { customersOf } from './record-issued.ts';
import { saveChanges } from './save-changes.ts';

/** An invoice, locked, whose charges are given back, and the customers that it bills or is billed to. */
type ChargedOn = { invoiceId: string; currency: string; customerIds: readonly string[] };

/** Returns {@link ChargedOn} of an invoice that has been read, whose lines may be left out. */
export async function chargedOn(
  tx: Transaction,
  accountId: string,
  invoice: Pick<IssuedInvoice, 'invoiceId' | 'customerId' | 'currency' | 'lines'>,
): Promise<ChargedOn> {
  const { invoiceId, currency, customerId, lines } = invoice;
  const customerIds =
    lines instanceof LeftOut
      ? [customerId, ...(await listCustomersBilledOn(tx, accountId, invoiceId))]
      : customersOf([invoice]);
  return { invoiceId, currency, customerIds };
}

/** What a credit or a refund gives back of an invoice: so much without tax, the tax in it, and which charges come first, by their keys. */
export type ToReverse = { amount: Decimal; tax: Decimal; keys: readonly string[] };

/** The charges of a period's fee, which a cancel or a downgrade gives back. */
export function ofFee(periodId: string): string[] {
  return [feeKeys(periodId)];
}

/**
 * Counts a refund against the charges of its invoice (spec/reversals#shares): one that somebody asks for is forgiven by hand, in shares of all that is
 * left. One that a cancel makes takes back the fee; `toReverse` says how much of it.
 */
export async function recordRefund(
  tx: Transaction,
  accountId: string,
  { refundId, amount }: Pick<Refund, 'refundId' | 'amount'>,
  invoice: ChargedOn,
  toReverse: ToReverse | null,
): Promise<void> {
  if (toReverse) return recordReversed(tx, accountId, { kind: 'refund', sourceId: refundId }, invoice, toReverse);
  const { charges, places } = await lockChargesOf(tx, accountId, invoice);
  const parts = partsRefunded(charges, amount, places);
  const reversals = [{ kind: 'refund', sourceId: refundId, isByHand: true, parts }] as const;
  await saveChanges(tx, accountId, { reversals });
}

/** Counts what a credit gives back against the charges of its invoice. */
export async function recordCredit(
  tx: Transaction,
  accountId: string,
  creditId: string,
  invoice: ChargedOn,
  toReverse: ToReverse,
): Promise<void> {
  await recordReversed(tx, accountId, { kind: 'credit', sourceId: creditId }, invoice, toReverse);
}

async function recordReversed(
  tx: Transaction,
  accountId: string,
  source: { kind: 'credit' | 'refund'; sourceId: string },
  invoice: ChargedOn,
  { amount, tax, keys }: ToReverse,
): Promise<void> {
  const { charges, places } = await lockChargesOf(tx, accountId, invoice);
  const chosen = partsTakenBack({ amount, keys: [keys], invoiceId: invoice.invoiceId }, charges, places);
  const parts = withTaxShared(chosen, { whole: amount, tax }, places);
  await saveChanges(tx, accountId, { reversals: [{ ...source, isByHand: false, parts }] });
}

async function lockChargesOf(tx: Transaction, accountId: string, invoice: ChargedOn) {
  await recordEarlierInvoices(tx, accountId, invoice.customerIds);
  const charges = await lockCharges(tx, accountId, { invoiceIds: [invoice.invoiceId], periodIds: [] });
  return { charges, places: currencyOf(invoice.currency).exponent };
}

/** A refund takes the place of one that failed: it counts against the same charges. */
export async function recordRefundReplaced(
  tx: Transaction,
  accountId: string,
  failedId: string,
  refundId: string,
): Promise<void> {
  await saveChanges(tx, accountId, { reversalsMoved: [{ from: failedId, to: refundId }] });
}

/** A refund that failed, or was canceled, counts no longer. */
export async function recordRefundEnded(tx: Transaction, accountId: string, refundId: string): Promise<void> {
  await saveChanges(tx, accountId, { reversalsDropped: [{ refundId }] });
}

/** Keeps the order of a void. The lines of the invoice take back nothing any more. */
export async function recordVoid(tx: Transaction, accountId: string, invoice: ChargedOn): Promise<void> {
  await recordEarlierInvoices(tx, accountId, invoice.customerIds);
  const { invoiceId } = invoice;
  await saveChanges(tx, accountId, { termsVoided: [invoiceId], reversalsDropped: [{ voidedInvoiceId: invoiceId }] });
}
