import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import type { ReversalPart } from '../invoices/line-basis.ts';
import { taxOn } from './compute.ts';
import { type InvoiceMoney, type Placement, place, type Reversed } from './place.ts';
import type { Difference, InvoiceChange } from './settle.ts';
import { cumulativeShares } from './shares.ts';
import type { StandingCharges } from './standing-charges.ts';
import { type InvoiceTerms, standing } from './terms.ts';

/** What goes back to a payer as lines: `net` and `tax` together, of charges on one invoice; and where the rest goes. */
export type PlacedCorrection = {
  rate: Decimal;
  net: Decimal;
  tax: Decimal;
  parts: readonly ReversalPart[];
  invoiceId: string | null;
  others: readonly PlacedPart[];
  placed: readonly PlacedPart[];
};

type PlacedPart = Placement & { parts: ReversalPart[] };

/** A credit that gives back of an invoice. `paysInvoice`: it pays that invoice at once. */
export type CorrectionCredit = {
  payerId: string;
  invoiceId: string;
  amount: Decimal;
  tax: Decimal;
  parts: readonly ReversalPart[];
  expiresAt: LocalDate | null;
  paysInvoice: boolean;
};

type Whose = Pick<InvoiceTerms, 'taxRate'> & { standing: StandingCharges };

/** Places what invoices of one payer and rate charge less. What one of them charges more is set off. */
export function placeCorrection(
  changes: readonly InvoiceChange[],
  { taxRate, standing: records }: Whose,
  { takesLines, places }: { takesLines: { payerId: string } | null; places: number },
): PlacedCorrection {
  const gains = sum(changes.map(({ wanted }) => (wanted.gt(0) ? wanted : ZERO)));
  const losses = changes.flatMap(({ difference }) => (difference?.net.lt(0) ? difference : []));
  const differences = lessGains(losses, gains, { records, places });
  const moneyOf = new Map(records.money.map((one) => [one.invoiceId, one]));
  const ordinals = new Map(records.chargedLines.map(({ lineId, ordinal }) => [lineId, ordinal]));
  const placed = place(differences, { moneyOf, takesLines, places }).map((placement) => {
    return { ...placement, parts: placement.reverses.map((reversed) => partOf(reversed, ordinals)) };
  });
  // A line can name only one invoice: the one of which most goes back.
  const [line = null] = placed
    .filter(({ kind }) => kind === 'line')
    .toSorted((a, b) => b.total.comparedTo(a.total) ?? 0);
  const parts = line?.parts ?? [];
  const [net, tax] = [sum(parts.map(({ amount }) => amount)), sum(parts.map(({ taxAmount }) => taxAmount))];
  const others = placed.filter((one) => one !== line);
  return { rate: taxRate, net, tax, parts, invoiceId: line?.invoiceId ?? null, others, placed };
}

/** Returns the credits for what does not go back as lines. */
export function correctionCredits({ others }: PlacedCorrection): CorrectionCredit[] {
  return others.map((placed): CorrectionCredit => {
    const { payerId, invoiceId, parts, kind } = placed;
    const [amount, tax] = [sum(parts.map((one) => one.amount)), sum(parts.map(({ taxAmount }) => taxAmount))];
    const expiresAt = placed.kind === 'credit' ? placed.expiresAt : null;
    return { payerId, invoiceId, amount, tax, parts, expiresAt, paysInvoice: kind === 'applied' };
  });
}

/** Returns what stands once a correction has been placed. */
export function afterCorrection(standing: StandingCharges, { placed }: PlacedCorrection): StandingCharges {
  const lineIds = new Map(standing.chargedLines.map((one) => [`${one.invoiceId} ${one.ordinal}`, one.lineId]));
  const parts = Map.groupBy(
    placed.flatMap((one) => one.parts),
    ({ invoiceId, ordinal }) => lineIds.get(`${invoiceId} ${ordinal}`),
  );
  const charges = standing.charges.map((charge) => {
    const back = sum((parts.get(charge.lineId) ?? []).map(({ amount }) => amount));
    return back.isZero() ? charge : { ...charge, back: charge.back.plus(back) };
  });
  const money = standing.money.map((one) =>
    placed.filter(({ invoiceId }) => invoiceId === one.invoiceId).reduce(afterPlacement, one),
  );
  return { ...standing, charges, money };
}

function afterPlacement(money: InvoiceMoney, placed: Placement): InvoiceMoney {
  const { total } = placed;
  if (placed.kind === 'applied' || placed.kind === 'after_payment') return { ...money, due: money.due.minus(total) };
  if (placed.kind !== 'credit') return { ...money, money: money.money.minus(total) };
  const credits = money.credits.map((credit) =>
    credit.creditId === placed.creditId ? { ...credit, amount: credit.amount.minus(total) } : credit,
  );
  return { ...money, credits };
}

function lessGains(
  losses: readonly Difference[],
  gains: Decimal,
  { records, places }: { records: StandingCharges; places: number },
): Difference[] {
  const reversals = losses.flatMap((loss) => loss.reversals.map((reversal) => ({ loss, reversal })));
  const whole = sum(reversals.map(({ reversal }) => reversal.amount));
  const kept = whole.gt(gains) ? whole.minus(gains) : ZERO;
  const shares = cumulativeShares(
    kept,
    reversals.map(({ reversal }) => reversal.amount),
    places,
  );
  const scaled = reversals.map(({ loss, reversal }, i) => ({ loss, ...reversal, amount: shares[i] ?? ZERO }));
  return losses.map((loss): Difference => {
    const { invoice } = loss;
    const own = scaled.filter((one) => one.loss === loss && one.amount.gt(0));
    const net = sum(own.map(({ amount }) => amount)).negated();
    const before = standing(records.charges.filter((one) => one.termsOf === invoice.invoiceId && !one.isVoid));
    const taxes = [before.plus(net), before].map((amount) => taxOn(amount, invoice.taxRate, places));
    const tax = (taxes[0] ?? ZERO).minus(taxes[1] ?? ZERO);
    return { ...loss, reversals: own.map(({ charge, amount }) => ({ charge, amount })), net, tax };
  });
}

function partOf(
  { invoiceId, lineId, amount, taxAmount }: Reversed,
  ordinals: ReadonlyMap<string, number>,
): ReversalPart {
  const ordinal = ordinals.get(lineId);
  if (ordinal === undefined) throw new Error(`the place of line ${lineId} is not known`);
  return { invoiceId, ordinal, amount, taxAmount };
}
