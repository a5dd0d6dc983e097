import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { ReversalPart } from '../invoices/line-basis.ts';
import { taxOn } from './compute.ts';
import type { TakenBack } from './issued-charges.ts';
import { cumulativeShares } from './shares.ts';
import { type Charge, reversible } from './terms.ts';

/**
 * A charge as it is recorded. `ordinal` is its place on its invoice, `order` that of the invoice, `taxRate` the percentage with which it was
 * charged, `taxBack` the tax that went back with it. `lineId` is null for a key without a line.
 */
export type RecordedCharge = Omit<Charge, 'lineId'> & {
  lineId: string | null;
  ordinal: number;
  order: number;
  periodId: string;
  taxRate: Decimal;
  taxBack: Decimal;
};

/** What something takes back of a charge, without tax; below zero it restores that. */
export type ChargePart = { charge: RecordedCharge; amount: Decimal };

/** What is to be taken back; the rest of what `invoiceId` names is shared by everything that is left of that invoice. */
export type Wanted = Pick<TakenBack, 'amount' | 'keys' | 'invoiceId' | 'parts'>;

/**
 * Chooses the charges that an amount takes back (spec/reversals#shares): those that it names by their keys, the latest first; beyond these, of the
 * invoice that it names, all that is left, in proportion. What no charge has left is taken back of none. `charges` are in order of issue.
 * Parts that have been chosen already are taken as they are, each at most what its charge has left.
 */
export function partsTakenBack(
  { amount, keys, invoiceId, parts }: Wanted,
  charges: readonly RecordedCharge[],
  places: number,
): ChargePart[] {
  if (parts) return parts.flatMap((part) => boundedPart(part, charges));
  const taken = new Map<RecordedCharge, Decimal>();
  const leftOf = (charge: RecordedCharge) => reversible(charge).minus(taken.get(charge) ?? ZERO);
  const ofInvoice = charges.filter((charge) => invoiceId === null || charge.invoiceId === invoiceId);
  let rest = amount;
  const take = (charge: RecordedCharge, most: Decimal) => {
    const part = min(rest, min(most, leftOf(charge)));
    if (!part.gt(0)) return;
    taken.set(charge, part.plus(taken.get(charge) ?? ZERO));
    rest = rest.minus(part);
  };
  for (const group of keys) {
    const named = ofInvoice.filter(({ key }) => group.some((one) => key.startsWith(one)));
    for (const charge of named.toReversed()) take(charge, rest);
  }
  if (invoiceId !== null && rest.gt(0)) {
    const lefts = ofInvoice.map(leftOf);
    const shares = cumulativeShares(min(rest, sum(lefts)), lefts, places);
    for (const [i, charge] of ofInvoice.entries()) take(charge, shares[i] ?? ZERO);
  }
  return [...taken].map(([charge, part]) => ({ charge, amount: part }));
}

function boundedPart({ invoiceId, ordinal, amount }: ReversalPart, charges: readonly RecordedCharge[]): ChargePart[] {
  const charge = charges.find((one) => one.invoiceId === invoiceId && one.ordinal === ordinal);
  if (!charge) return [];
  const part = min(amount, reversible(charge));
  return part.gt(0) ? [{ charge, amount: part }] : [];
}

/** Chooses the charges that an amount restores: what was taken back last of those with these keys comes first. */
export function partsRestored({ amount, keys, invoiceId }: Wanted, charges: readonly RecordedCharge[]): ChargePart[] {
  let rest = amount;
  const named = charges.filter(
    (one) => one.invoiceId === invoiceId && keys.flat().some((key) => one.key.startsWith(key)),
  );
  return named.toReversed().flatMap((charge): ChargePart[] => {
    const part = min(rest, charge.back);
    if (!part.gt(0)) return [];
    rest = rest.minus(part);
    return [{ charge, amount: part.negated() }];
  });
}

/** Gives the parts of an amount their shares of the tax in it. `whole` is the amount that `tax` belongs to, of which the parts may be less. */
export function withTaxShared(
  parts: readonly ChargePart[],
  { whole, tax }: { whole: Decimal; tax: Decimal },
  places: number,
): ReversalPart[] {
  const amounts = parts.map(({ amount }) => amount.abs());
  const rest = whole.minus(sum(amounts));
  const shares = cumulativeShares(tax, rest.gt(0) ? [...amounts, rest] : amounts, places);
  return parts.map(({ charge: { invoiceId, ordinal }, amount }, i) => {
    const share = shares[i] ?? ZERO;
    return { invoiceId, ordinal, amount, taxAmount: amount.lt(0) ? share.negated() : share };
  });
}

/**
 * Shares a refund, with tax, over what is left of an invoice's charges (spec/reversals#shares): by what is left at each rate, highest rate first. Of what
 * it leaves at a rate, the tax is rate / (100 + rate); its net and its tax go over the lines in proportion to what is left of each.
 */
export function partsRefunded(charges: readonly RecordedCharge[], refunded: Decimal, places: number): ReversalPart[] {
  const byRate = [...Map.groupBy(charges, ({ taxRate }) => taxRate.toFixed()).values()]
    .map((ofRate) => leftAtRate(ofRate, places))
    .toSorted((a, b) => b.taxRate.comparedTo(a.taxRate) ?? 0);
  const totals = byRate.map(({ net, tax }) => net.plus(tax));
  const shares = cumulativeShares(min(refunded, sum(totals)), totals, places);
  return byRate.flatMap(({ ofRate, lefts, net, tax, taxRate }, i): ReversalPart[] => {
    const share = shares[i] ?? ZERO;
    const leaves = net.plus(tax).minus(share);
    const taxLeft = min(tax, roundHalfAwayFromZero(leaves.times(taxRate).div(taxRate.plus(100)), places));
    const netBack = min(net, share.minus(min(share, tax.minus(taxLeft))));
    const nets = cumulativeShares(netBack, lefts, places);
    const taxes = cumulativeShares(share.minus(netBack), lefts, places);
    return ofRate.flatMap(({ invoiceId, ordinal }, n) => {
      const [amount, taxAmount] = [nets[n] ?? ZERO, taxes[n] ?? ZERO];
      return amount.isZero() && taxAmount.isZero() ? [] : [{ invoiceId, ordinal, amount, taxAmount }];
    });
  });
}

function leftAtRate(ofRate: readonly RecordedCharge[], places: number) {
  const taxRate = ofRate[0]?.taxRate ?? ZERO;
  const lefts = ofRate.map(reversible);
  const charged = sum(ofRate.map((charge) => (charge.isVoid ? ZERO : charge.net)));
  const tax = taxOn(charged, taxRate, places).minus(sum(ofRate.map(({ taxBack }) => taxBack)));
  return { ofRate, lefts, net: sum(lefts), tax: tax.gt(0) ? tax : ZERO, taxRate };
}

/** The charges after these parts have been taken back, by reversals or by hand. */
export function afterParts<C extends RecordedCharge>(
  charges: readonly C[],
  parts: readonly ReversalPart[],
  how: 'reversed' | 'by_hand' = 'reversed',
): C[] {
  const changed = Map.groupBy(parts, ({ invoiceId, ordinal }) => `${invoiceId} ${ordinal}`);
  return charges.map((charge) => {
    const ours = changed.get(`${charge.invoiceId} ${charge.ordinal}`);
    if (!ours) return charge;
    const amount = sum(ours.map((part) => part.amount));
    const taxBack = charge.taxBack.plus(sum(ours.map((part) => part.taxAmount)));
    return how === 'by_hand'
      ? { ...charge, byHand: charge.byHand.plus(amount), taxBack }
      : { ...charge, back: charge.back.plus(amount), taxBack };
  });
}
