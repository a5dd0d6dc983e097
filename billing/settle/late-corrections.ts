import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import { isoFromInstant } from '../../core/instants.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { lateLine, latePrices } from '../invoices/invoice-lines.ts';
import type { ReversalPart } from '../invoices/line-basis.ts';
import { type CountedLate, isLateChange } from '../metering/late-usage.ts';
import type { SettledLate } from '../pricing/charges.ts';
import type { KeptAmount } from '../state/billing-rules.ts';
import { usageKeys, windowIdOf } from './charge-keys.ts';
import type { CostLine } from './cost.ts';
import type { LimitFacts, PeriodFacts } from './facts.ts';
import { keyOf } from './issued-charges.ts';
import { type KeyedPeriod, keyedPeriodsIn, periodIdIn } from './keyed-periods.ts';
import {
  afterCorrection,
  type CorrectionCredit,
  correctionCredits,
  type PlacedCorrection,
  placeCorrection,
} from './place-corrections.ts';
import { type InvoiceChange, settleChange } from './settle.ts';
import { cumulativeShares } from './shares.ts';
import type { StandingCharges } from './standing-charges.ts';
import type { InvoiceTerms } from './terms.ts';

/** What late corrections are settled by: the charges that stand, the usage periods of these and of the late usage, and what limits count. */
export type LateRecords = {
  standing: StandingCharges;
  periods: readonly KeyedPeriod[];
  limits: readonly KeptAmount[];
};

/**
 * `takesLines`: who is billed by the invoice that the late usage is on; null if it waits for an invoice. `isRunning`: whether the plan's limits of the
 * period are still to be billed.
 */
export type LateOptions = {
  takesLines: { payerId: string } | null;
  isRunning(charge: CountedLate): boolean;
  places: number;
};

/** Late usage with what its corrections take back as lines, and the credits for the rest. */
export type SettledCorrections = { late: CountedLate[]; credits: CorrectionCredit[] };

/** Late usage of a window: the key of its charge, the invoice that charged it, and its price before and now. */
type Item = {
  charge: CountedLate;
  key: string;
  periodId: string;
  windowId: string;
  terms: InvoiceTerms | null;
  was: Decimal;
  is: Decimal;
};

/**
 * Settles late usage that lowers what earlier invoices charge (spec/reversals#late-corrections): the invoices are computed again with their own terms, and
 * what they charge less goes back. Late usage that does not lower them is returned as it is. `counted` is everything that was counted again, also what has
 * not changed.
 */
export function settleLate(
  counted: readonly CountedLate[],
  records: LateRecords,
  options: LateOptions,
): SettledCorrections {
  const { places } = options;
  const changed = new Set(counted.filter(isLateChange));
  const items = itemsOf(counted, records, places);
  const open = items.filter(({ charge, terms }) => changed.has(charge) && terms && !options.isRunning(charge));
  const groups = [...Map.groupBy(open, groupOf).values()];
  const settled = new Map<CountedLate, SettledLate>();
  const credits: CorrectionCredit[] = [];
  // One after another: each finds what those before it have left.
  let { standing } = records;
  const prices = new Map(items.map((item) => [item, item.was]));
  for (const group of groups) {
    if (sum(group.map(({ was, is }) => is.minus(was))).gte(0)) continue;
    const changes = changesBy(group, prices, { ...records, standing }, places);
    const correction = placeCorrection(changes, { ...termsOf(group), standing }, options);
    const lines = linesOf(group, correction, places);
    for (const [i, item] of group.entries()) {
      const line = lines[i];
      if (line) settled.set(item.charge, line);
      prices.set(item, item.is);
    }
    credits.push(...correctionCredits(correction));
    standing = afterCorrection(standing, correction);
  }
  const late = [...changed].map((charge) => {
    const line = settled.get(charge);
    return line ? { ...charge, settled: line } : charge;
  });
  return { late, credits };
}

/** What one billing period was charged by invoices of one payer and rate is settled together. */
function groupOf({ terms, periodId }: Item): string {
  return `${terms?.payerId} ${terms?.taxRate.toFixed()} ${periodId}`;
}

function itemsOf(counted: readonly CountedLate[], { standing, periods }: LateRecords, places: number): Item[] {
  const { find } = keyedPeriodsIn(periods);
  const termsOfKey = new Map(
    standing.invoices.toReversed().flatMap((terms) => terms.keys.map((key) => [key, terms] as const)),
  );
  return counted.flatMap((charge): Item[] => {
    if (charge.isUnbilled) return [];
    const line = lateLine(charge, places);
    const period = find(line);
    if (!period) return [];
    const key = keyOf(line, period);
    const [was, is] = latePrices(charge, places);
    const [periodId, windowId] = [periodIdIn(period), windowIdOf(period)];
    // A row of a price book that nothing has been billed by belongs to the invoice of its window.
    const ofMetric = usageKeys(periodId, windowId, charge.component.metricId);
    const isOfWindow = ({ keys }: InvoiceTerms) => keys.some((one) => one.startsWith(ofMetric));
    const terms = termsOfKey.get(key) ?? standing.invoices.find(isOfWindow) ?? null;
    return [{ charge, key, periodId, windowId, terms, was, is }];
  });
}

/** How the invoices of a period change if this late usage comes, and none of the other. */
function changesBy(
  group: readonly Item[],
  prices: ReadonlyMap<Item, Decimal>,
  records: LateRecords,
  places: number,
): InvoiceChange[] {
  const { standing } = records;
  const facts = factsOf(records);
  const before = new Map(linesOfCharges(standing).map((line) => [line.key, line]));
  for (const [item, price] of prices) before.set(item.key, costLineOf(item, price, places));
  const after = new Map(before);
  for (const item of group) after.set(item.key, costLineOf(item, item.is, places));
  const invoices = standing.invoices.map((terms) => {
    const added = group.filter((item) => item.terms === terms && !terms.keys.includes(item.key));
    return added.length === 0 ? terms : { ...terms, keys: [...terms.keys, ...added.map(({ key }) => key)] };
  });
  const kept = { invoices, charges: standing.charges, places };
  const { payerId, taxRate } = termsOf(group);
  const ofPeriod = group.flatMap(({ periodId }) => `${periodId}/`)[0] ?? '';
  return settleChange(kept, { lines: before, facts }, { lines: after, facts }).filter(({ invoice }) => {
    const isOfPayer = invoice.payerId === payerId && invoice.taxRate.eq(taxRate);
    return isOfPayer && invoice.keys.some((key) => key.startsWith(ofPeriod));
  });
}

function termsOf([first]: readonly Item[]): Pick<InvoiceTerms, 'payerId' | 'taxRate'> {
  if (!first?.terms) throw new Error('late usage is settled that no invoice has charged');
  return first.terms;
}

function costLineOf({ charge, key, periodId, windowId }: Item, price: Decimal, places: number): CostLine {
  const line: NewInvoiceLine = { ...lateLine(charge, places), type: 'usage' };
  return { key, periodId, windowId, due: 'end', line, asked: price, now: price };
}

/** The lines of charges as they are on invoices, without what was given back of them. */
function linesOfCharges({ chargedLines }: StandingCharges): CostLine[] {
  return [...Map.groupBy(chargedLines, ({ key }) => key).values()].flatMap((ofKey) => {
    const [first] = ofKey;
    if (!first || first.line.type === 'true_up') return [];
    const { key, periodId, line } = first;
    const price = sum(ofKey.map((one) => one.left));
    const type = line.type === 'late_usage' ? 'usage' : line.type;
    // Keys of what a window bills have the window behind the kind.
    const windowId = key.slice(periodId.length + 1).split('/')[1] ?? '';
    return [{ key, periodId, windowId, due: 'end' as const, line: { ...line, type }, asked: price, now: price }];
  });
}

/** The limits of the periods: nothing else of their facts is asked for. */
function factsOf({ standing, periods, limits }: LateRecords): PeriodFacts[] {
  const keyed = keyedPeriodsIn(periods);
  const byPeriod = Map.groupBy(periods, periodIdIn);
  return standing.periodIds.flatMap((periodId): PeriodFacts[] => {
    const [period] = byPeriod.get(periodId) ?? [];
    if (!period) return [];
    const { startsAt, endsAt } = period.billing;
    const ours = limits.flatMap((kept): LimitFacts[] => {
      const { subscriptionId, metricId } = kept;
      const found = keyed.find({ subscriptionId, periodStart: kept.startsAt, periodEnd: kept.endsAt });
      if (!found || periodIdIn(found) !== periodId) return [];
      const windowId = metricId === null ? null : isoFromInstant(found.startsAt);
      return [{ subscriptionId, planId: '', version: 0, metricId, windowId, name: '', limits: kept.limits }];
    });
    // Those of components first, so that the plan's count what they add.
    const ordered = ours.toSorted((a, b) => Number(a.metricId === null) - Number(b.metricId === null));
    const nothing = { fees: [], used: [], units: [], priced: [], days: 1, length: 1, isInAdvance: false };
    return [{ periodId, startsAt, endsAt, ...nothing, limits: ordered, isClosed: true }];
  });
}

/** What the line of each late charge takes back: shares of the whole, in proportion to the differences of price. */
function linesOf(group: readonly Item[], { net, tax, rate, parts, invoiceId }: PlacedCorrection, places: number) {
  const prices = group.map(({ was, is }) => is.minus(was));
  const amounts = cumulativeShares(net.negated(), prices, places);
  const taxes = cumulativeShares(tax.negated(), amounts, places);
  const left = [...parts];
  return amounts.map((amount, i): SettledLate => {
    const reverses = takeParts(left, amount.negated(), places);
    const givenBackOf = amount.isZero() ? null : invoiceId;
    return { amount, taxRate: rate, taxAmount: taxes[i] ?? ZERO, givenBackOf, reverses };
  });
}

/** Takes an amount of the first of the parts, and leaves the rest in the list. */
function takeParts(parts: ReversalPart[], amount: Decimal, places: number): ReversalPart[] {
  const taken: ReversalPart[] = [];
  let rest = amount;
  while (rest.gt(0)) {
    const part = parts.shift();
    if (!part) break;
    if (part.amount.lte(rest)) {
      taken.push(part);
      rest = rest.minus(part.amount);
      continue;
    }
    const [own = ZERO] = cumulativeShares(part.taxAmount, [rest, part.amount.minus(rest)], places);
    taken.push({ ...part, amount: rest, taxAmount: own });
    parts.unshift({ ...part, amount: part.amount.minus(rest), taxAmount: part.taxAmount.minus(own) });
    rest = ZERO;
  }
  return taken;
}
