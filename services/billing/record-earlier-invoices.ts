import type { NewReversal } from '../../billing/charge-records.ts';
import type { Refund } from '../../billing/credits/refunds.ts';
import type { ReversalPart } from '../../billing/invoices/line-basis.ts';
import { feeKeys } from '../../billing/settle/charge-keys.ts';
import type { PlacedCharge } from '../../billing/settle/record-issued.ts';
import { partsRefunded, partsTakenBack, withTaxShared } from '../../billing/settle/recorded-charges.ts';
import { currencyOf } from '../../core/currencies.ts';
import {
  type GivenCredit,
  listGivenCredits,
  listInvoicesToLookAt,
  listUnrecordedInvoices,
  loadUnrecordedInvoices,
  upsertChargesRecorded,
} from '../../sql/postgres/charges/unrecorded-invoices.ts';
import { listRefundsOfInvoices } from '../../sql/postgres/credits/refunds.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { type InvoiceToRecord, recordInvoices, withParts } from './record-invoices.ts';
import { saveChanges } from './save-changes.ts';

/** Invoices recorded at once: they are read whole, with their lines. */
const AT_ONCE = 50;

/**
 * Records the invoices that bill these customers and are not recorded yet: an earlier release has issued them (spec/reversals#earlier-releases).
 * Whatever takes back of an invoice, or reads what stands, calls it first.
 */
export async function recordEarlierInvoices(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(customerIds)];
  for (;;) {
    const found = await listUnrecordedInvoices(tx, accountId, ids, AT_ONCE);
    if (found.length > 0) await recordStored(tx, accountId, found);
    if (found.length < AT_ONCE) return;
  }
}

/** Records the next invoices of an account that are not recorded yet; 'more' if there may be others. */
export async function recordNextInvoices(pool: Pool, accountId: string): Promise<'more' | undefined> {
  return inTransaction(pool, accountId, async (tx) => {
    const { last, unrecorded } = await listInvoicesToLookAt(tx, accountId, AT_ONCE);
    if (last === null) return undefined;
    if (unrecorded.length > 0) await recordStored(tx, accountId, unrecorded);
    await upsertChargesRecorded(tx, accountId, last);
    return 'more';
  });
}

/** Records invoices from what is stored: in order of issue, each with what credits and refunds have taken back of it. */
async function recordStored(tx: Transaction, accountId: string, invoiceIds: readonly string[]): Promise<void> {
  const invoices = await loadUnrecordedInvoices(tx, accountId, invoiceIds);
  const credits = await listGivenCredits(tx, accountId, invoiceIds);
  const refunds = await listRefundsOfInvoices(tx, accountId, invoiceIds);
  const byId = new Map(invoices.map((invoice) => [invoice.invoiceId, invoice]));
  const { records } = await recordInvoices(tx, accountId, invoices, {
    // Those before them are recorded, or among them.
    recordEarlier: async () => {},
    discountsOf: ({ discountsUsed }) => discountsUsed.map((discountId) => ({ discountId, holders: [] })),
    takenBackOf: (invoiceId, charges) => {
      const invoice = byId.get(invoiceId);
      if (!invoice || invoice.status === 'void') return [];
      return takenBackOf(invoice, charges, {
        credits: credits.filter((one) => one.invoiceId === invoiceId),
        refunds: refunds.filter((one) => one.invoiceId === invoiceId),
      });
    },
  });
  await saveChanges(tx, accountId, { charges: [records] });
}

type GoneBack = { credits: readonly GivenCredit[]; refunds: readonly Refund[] };

function takenBackOf(
  { currency }: InvoiceToRecord,
  charges: readonly PlacedCharge[],
  { credits, refunds }: GoneBack,
): NewReversal[] {
  const places = currencyOf(currency).exponent;
  let left = charges;
  const save = (reversal: NewReversal): NewReversal => {
    left = withParts(left, [reversal]);
    return reversal;
  };
  const given = credits.map((credit) => {
    const parts = partsOfCredit(credit, left, places);
    return save({ kind: 'credit', sourceId: credit.creditId, isByHand: false, parts });
  });
  const held = refunds.filter(({ status }) => status === 'pending' || status === 'succeeded');
  const refunded = held.map((refund) => {
    const parts = partsRefunded(left, refund.amount, places);
    return save({ kind: 'refund', sourceId: refund.refundId, isByHand: !isOfCancel(refund), parts });
  });
  return [...given, ...refunded];
}

/** Fees first, or units, whichever the credit was for; the rest of the invoice after them. */
function partsOfCredit(
  { invoiceId, amount, tax, isOfUnits }: GivenCredit,
  charges: readonly PlacedCharge[],
  places: number,
): ReversalPart[] {
  const periodIds = [...new Set(charges.map(({ periodId }) => periodId))];
  const keys = periodIds.map((periodId) => (isOfUnits ? `${periodId}/prepaid_units/` : feeKeys(periodId)));
  const whole = amount.minus(tax);
  return withTaxShared(
    partsTakenBack({ amount: whole, keys: [keys], invoiceId }, charges, places),
    { whole, tax },
    places,
  );
}

/** Whether a cancel has made a refund, or the store credit in the place of one that failed. */
function isOfCancel({ isProration, reason, method, description }: Refund): boolean {
  const isInPlace = method === 'store_credit' && (description?.startsWith('In the place of refund ') ?? false);
  return isProration || (isInPlace && reason === 'subscription_canceled');
}
