import type { NewCharge, NewCharges, NewReversal, NewTerms } from '../../billing/charge-records.ts';
import type { InvoiceLine, IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { type IssuedRecord, recordOf } from '../../billing/settle/issued-charges.ts';
import { type KeyedPeriod, keyedPeriodsIn } from '../../billing/settle/keyed-periods.ts';
import type { Recorded } from '../../billing/settle/lines-of-sections.ts';
import { type FindCredited, type PlacedCharge, recordIssued } from '../../billing/settle/record-issued.ts';
import { afterParts } from '../../billing/settle/recorded-charges.ts';
import { currencyOf } from '../../core/currencies.ts';
import { type DiscountAtIssue, lockCharges } from '../../sql/postgres/charges/charges.ts';
import { listKeyedPeriods } from '../../sql/postgres/charges/keyed-periods.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listSwitchedPeriods } from '../../sql/postgres/subscriptions/switched-periods.ts';

/** An invoice whose charges are recorded, with its place in the order of issue. */
export type InvoiceToRecord = Recorded &
  Pick<IssuedInvoice, 'status' | 'taxRate'> & { order: number; voidedBefore: string | null };

/** How invoices are recorded. */
export type Recording = {
  /** Records the invoices before them that their lines may be about; called only if there are such lines. */
  recordEarlier(): Promise<void>;
  /** The discounts that were active at the issue of an invoice of these subscriptions. */
  discountsOf(terms: {
    subscriptionIds: readonly string[];
    discountsUsed: readonly string[];
  }): readonly DiscountAtIssue[];
  /** The usage periods of the lines of the invoices, if they have been loaded. */
  periods?: readonly KeyedPeriod[];
  /** What credits and refunds have taken back of an invoice so far, by its charges. */
  takenBackOf?(invoiceId: string, charges: readonly PlacedCharge[]): NewReversal[];
};

/**
 * Decides what is kept of invoices, which are in order of issue (spec/reversals#what-stands). Returns the charges as they then are, with
 * earlier ones that their lines may take back.
 */
export async function recordInvoices(
  tx: Transaction,
  accountId: string,
  invoices: readonly InvoiceToRecord[],
  recording: Recording,
): Promise<{ records: NewCharges; charges: PlacedCharge[] }> {
  const periods = recording.periods ?? (await loadKeyedPeriodsOf(tx, accountId, invoices.flatMap(placesOf)));
  const keyed = keyedPeriodsIn(periods);
  const issued = invoices.map((invoice) => ({ invoice, record: recordOf(invoice, keyed) }));
  const records = issued.map(({ record }) => record);
  const creditedBy = await loadCredited(tx, accountId, records);
  let charges = await loadEarlier(tx, accountId, records, { creditedBy, recording });
  const made = { terms: [] as NewTerms[], charges: [] as NewCharge[], reversals: [] as NewReversal[] };
  for (const { invoice, record } of issued) {
    const { invoiceId, order, taxRate, status, currency } = invoice;
    const about = { invoiceId, order, taxRate, isVoid: status === 'void', places: currencyOf(currency).exponent };
    const own = recordIssued(record, about, { known: charges, creditedBy });
    const all = withParts([...charges, ...own.charges], own.reversals);
    const back =
      recording.takenBackOf?.(
        invoiceId,
        all.filter((one) => one.invoiceId === invoiceId),
      ) ?? [];
    charges = withParts(all, back);
    made.terms.push(
      ...record.terms.map(({ subscriptionIds, ...terms }): NewTerms => {
        const discounts = recording.discountsOf({ ...terms, subscriptionIds });
        const discountIds = discounts.map(({ discountId }) => discountId);
        return { ...terms, invoiceId, discountIds, voidedBefore: invoice.voidedBefore };
      }),
    );
    made.charges.push(...own.charges.map(newChargeOf));
    made.reversals.push(...own.reversals, ...back);
  }
  return { records: made, charges };
}

function newChargeOf({
  order: _order,
  byHand: _byHand,
  isVoid: _isVoid,
  taxRate: _taxRate,
  ...charge
}: PlacedCharge): NewCharge {
  return charge;
}

/** The charges after reversals. */
export function withParts(charges: readonly PlacedCharge[], reversals: readonly NewReversal[]): PlacedCharge[] {
  return reversals.reduce<PlacedCharge[]>(
    (left, { parts, isByHand }) => afterParts(left, parts, isByHand ? 'by_hand' : 'reversed'),
    [...charges],
  );
}

/** The subscription and the time that something on an invoice is about. */
export type Place = Pick<InvoiceLine, 'subscriptionId' | 'periodStart' | 'periodEnd'>;

/** Returns the places of an invoice, of its sections and of its lines. */
export function placesOf(invoice: Recorded): Place[] {
  return [invoice, ...invoice.sections, ...invoice.lines];
}

/** Loads the usage periods of what is on invoices, as the keys of charges name them. */
export async function loadKeyedPeriodsOf(
  tx: Transaction,
  accountId: string,
  placed: readonly Place[],
): Promise<KeyedPeriod[]> {
  const subscriptionIds = [...new Set(placed.flatMap((one) => one.subscriptionId ?? []))];
  if (subscriptionIds.length === 0) return [];
  // Spread arguments are bounded; an invoice may have tens of thousands of lines.
  const least = placed.reduce((from, { periodStart }) => Math.min(from, periodStart ?? from), Number.MAX_SAFE_INTEGER);
  const most = placed.reduce((to, { periodEnd }) => Math.max(to, periodEnd ?? to), 0);
  return listKeyedPeriods(tx, accountId, { subscriptionIds, from: least, to: most });
}

async function loadCredited(
  tx: Transaction,
  accountId: string,
  records: readonly IssuedRecord[],
): Promise<FindCredited> {
  const ids = new Set(records.flatMap(({ chargedAgain }) => chargedAgain.map(({ subscriptionId }) => subscriptionId)));
  const switched = await listSwitchedPeriods(tx, accountId, [...ids]);
  return (subscriptionId, at) => {
    const plans = switched.get(subscriptionId)?.plans ?? [];
    return plans.findLast((plan) => plan.at === at)?.credited ?? [];
  };
}

/** The charges that lines take back, restore, or follow late; none if no line does. */
async function loadEarlier(
  tx: Transaction,
  accountId: string,
  records: readonly IssuedRecord[],
  { creditedBy, recording }: { creditedBy: FindCredited; recording: Recording },
): Promise<PlacedCharge[]> {
  const takenBack = records.flatMap((record) => record.takenBack);
  const again = records.flatMap((record) => record.chargedAgain);
  const late = records.flatMap(({ charges }) => charges.filter(({ isLate }) => isLate));
  if (takenBack.length + again.length + late.length === 0) return [];
  await recording.recordEarlier();
  const restored = again.flatMap(({ subscriptionId, at }) => creditedBy(subscriptionId, at));
  const parts = takenBack.flatMap((one) => one.parts ?? []);
  const invoiceIds = [...takenBack, ...restored, ...parts].flatMap(({ invoiceId }) => invoiceId ?? []);
  const periodIds = [...takenBack, ...again, ...late].map(({ periodId }) => periodId);
  return lockCharges(tx, accountId, { invoiceIds: [...new Set(invoiceIds)], periodIds: [...new Set(periodIds)] });
}
