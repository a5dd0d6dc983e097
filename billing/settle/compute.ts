import { type Decimal, roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import type { CostLine } from './cost.ts';
import { discountLines, type Lowering } from './discount-lines.ts';
import type { DiscountTerms, PeriodFacts } from './facts.ts';
import { type LimitCarry, type LimitedLine, limitLines, type MaximumCut } from './limit-lines.ts';
import { countsFor, type InvoiceTerms } from './terms.ts';

/** A line of a computed invoice: `gross` is before limits and discounts, `amount` before discounts, `net` what is charged. */
export type ComputedLine = LimitedLine & { gross: Decimal; net: Decimal };

/** What an invoice charges by its terms, without tax. */
export type ComputedCharges = { lines: ComputedLine[]; cuts: MaximumCut[]; lowerings: Lowering[] };

/** What amounts off took of an invoice; they share one amount per billing period. */
type TakenOff = { invoice: InvoiceTerms; lowering: Lowering };

/** What invoices before leave to those behind them: room under limits, and amounts off. */
export type Carry = { limits: LimitCarry; takenOff: TakenOff[] };

/** An empty carry: nothing was issued yet. */
export function newCarry(): Carry {
  return { limits: new Map(), takenOff: [] };
}

/** What an invoice is computed from. `grossOf` chooses the amount of a line: what it asks for, or what is left of it now. */
export type ComputeInput = {
  cost: ReadonlyMap<string, CostLine>;
  facts: readonly PeriodFacts[];
  grossOf(line: CostLine): Decimal;
  isAllowed(discount: DiscountTerms): boolean;
  places: number;
};

/**
 * Computes one invoice by its terms: limits, then discounts (spec/invoices#order-of-computation). A new invoice and an old one are
 * computed by this same function. `carry` is read, and what this invoice takes is added to it, so invoices come in order of issue.
 */
export function computeCharges(invoice: InvoiceTerms, input: ComputeInput, carry: Carry): ComputedCharges {
  const { cost, facts, grossOf, isAllowed, places } = input;
  const gross = invoice.keys.flatMap((key) => {
    const line = cost.get(key);
    if (!line) return [];
    const { periodId, windowId, line: invoiceLine } = line;
    return [{ key, periodId, windowId, line: invoiceLine, amount: grossOf(line) }];
  });
  let lines: LimitedLine[] = gross;
  const cuts: MaximumCut[] = [];
  for (const period of facts) {
    const limited = limitLines(lines, { invoice, facts: period, carry: carry.limits, places });
    lines = limited.lines;
    cuts.push(...limited.cuts);
  }
  const active = invoice.discounts.map(({ terms }) => terms).filter(isAllowed);
  const amountLeft = (discount: DiscountTerms) => amountOffLeft(discount, invoice, carry.takenOff);
  const { nets, lowerings } = discountLines(lines, active, { amountLeft, places });
  carry.takenOff.push(...lowerings.map((lowering) => ({ invoice, lowering })));
  const grossByKey = new Map(gross.map(({ key, amount }) => [key, amount]));
  const computed = lines.map((line, i) => {
    return { ...line, gross: grossByKey.get(line.key) ?? line.amount, net: nets[i] ?? ZERO };
  });
  return { lines: computed, cuts, lowerings };
}

/** What of an amount off the invoices of the same billing period have left (spec/discounts#periods). */
function amountOffLeft({ discountId, amountOff }: DiscountTerms, invoice: InvoiceTerms, taken: readonly TakenOff[]) {
  if (amountOff === null) return ZERO;
  const ofPeriod = taken.filter((one) => {
    const isSame = one.lowering.discountId === discountId && one.invoice.periodId === invoice.periodId;
    return isSame && (countsFor(one.invoice, invoice) || one.invoice.order > invoice.order);
  });
  const left = ofPeriod.reduce((rest, { lowering }) => rest.minus(lowering.amount), amountOff);
  return left.gt(0) ? left : ZERO;
}

/** The tax on a net sum at a rate in percent, rounded once, with the sign of the sum. */
export function taxOn(net: Decimal, taxRate: Decimal, places: number): Decimal {
  return roundHalfAwayFromZero(net.times(taxRate).shiftedBy(-2), places);
}
