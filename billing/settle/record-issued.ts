import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { NewReversal } from '../charge-records.ts';
import type { CreditedPart } from '../periods/segments.ts';
import { feeKeys } from './charge-keys.ts';
import { taxOn } from './compute.ts';
import type { ChargedAgain, IssuedCharge, IssuedRecord } from './issued-charges.ts';
import {
  afterParts,
  type ChargePart,
  partsRestored,
  partsTakenBack,
  type RecordedCharge,
  withTaxShared,
} from './recorded-charges.ts';
import { cumulativeShares } from './shares.ts';

/** A charge with the terms by which it was computed: the terms of a section of an invoice, or of the whole invoice (section 0). */
export type PlacedCharge = RecordedCharge & { termsSection: number };

/** The invoice that is recorded: its place in the order of issue, and its rate of tax. */
export type RecordedInvoice = { invoiceId: string; order: number; taxRate: Decimal; isVoid: boolean; places: number };

/** What a switch to a subscription at an instant has credited. */
export type FindCredited = (subscriptionId: string, at: Instant) => readonly CreditedPart[];

/**
 * Records the charges of an invoice behind those that are `known`, which are in order of issue and hold the periods of its lines; and what its
 * lines take back of any of them. Lines of a void invoice take back nothing.
 */
export function recordIssued(
  { charges: issued, takenBack, chargedAgain }: IssuedRecord,
  invoice: RecordedInvoice,
  { known, creditedBy }: { known: readonly PlacedCharge[]; creditedBy: FindCredited },
): { charges: PlacedCharge[]; reversals: NewReversal[] } {
  const { places, taxRate, isVoid } = invoice;
  const charges = issued.map((charge) => chargeOf(charge, invoice, known));
  if (isVoid) return { charges, reversals: [] };
  let all: RecordedCharge[] = [...known, ...charges];
  const reversals: NewReversal[] = [];
  const save = (
    sourceId: string,
    parts: readonly ChargePart[],
    whole: Decimal,
    tax = taxOn(whole, taxRate, places),
  ) => {
    const shared = withTaxShared(parts, { whole, tax }, places);
    if (shared.length === 0) return;
    all = afterParts(all, shared);
    reversals.push({ kind: 'line', sourceId, isByHand: false, parts: shared });
  };
  for (const wanted of takenBack) {
    const { sourceId, amount, parts } = wanted;
    const chosen = partsTakenBack(wanted, all, places);
    if (parts === undefined) save(sourceId, chosen, amount);
    else save(sourceId, chosen, sum(parts.map((part) => part.amount)), sum(parts.map((part) => part.taxAmount)));
  }
  for (const again of chargedAgain) {
    const credited = creditedBy(again.subscriptionId, again.at);
    save(again.sourceId, partsOfCredit(again, credited, all, places), again.amount);
  }
  return { charges, reversals };
}

/** A late line belongs to the terms that first charged its key, if any did. */
function chargeOf(
  { section, isLate, back, ...charge }: IssuedCharge,
  { invoiceId, order, taxRate, isVoid, places }: RecordedInvoice,
  known: readonly PlacedCharge[],
): PlacedCharge {
  const first = isLate ? known.find(({ key }) => key === charge.key) : undefined;
  const taxBack = taxOn(back, taxRate, places);
  const terms = { termsOf: first?.termsOf ?? invoiceId, termsSection: first?.termsSection ?? section };
  return { ...charge, invoiceId, order, ...terms, back, byHand: ZERO, isVoid, taxRate, taxBack };
}

/** What is charged again restores what the switch had credited of invoices, in proportion; the rest was credited of what was on none. */
function partsOfCredit(
  { amount, periodId }: ChargedAgain,
  credited: readonly CreditedPart[],
  charges: readonly RecordedCharge[],
  places: number,
): ChargePart[] {
  const amounts = credited.map((part) => part.amount);
  const shares = cumulativeShares(amount, sum(amounts).gt(amount) ? amounts : [], places);
  const whole = shares.length === 0 ? amounts : shares;
  return credited.flatMap(({ invoiceId }, i) => {
    if (invoiceId === null) return [];
    return partsRestored({ amount: whole[i] ?? ZERO, keys: [[feeKeys(periodId)]], invoiceId }, charges);
  });
}
