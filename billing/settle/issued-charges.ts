import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { InvoiceKind, InvoiceLine } from '../invoices/invoice.ts';
import type { ReversalPart } from '../invoices/line-basis.ts';
import { feeKeys, minimumKey, pricedKey, unitsKeys, usageItemId, usageKeys, windowIdOf } from './charge-keys.ts';
import { type KeyedPeriod, type KeyedPeriods, periodIdIn } from './keyed-periods.ts';
import { type Recorded, sectionsOf, type TermsHead } from './lines-of-sections.ts';
import { cumulativeShares } from './shares.ts';

/**
 * What an invoice keeps of a line that charges, at its issue. `section`: by which terms of the invoice it was computed. `isLate`: by the terms
 * of an earlier invoice, if one has charged the key. `back`: credited before the line was on an invoice. A line of nothing is kept for its
 * key, and so is a minimum without a line (`lineId` null).
 */
export type IssuedCharge = {
  ordinal: number;
  lineId: string | null;
  section: number;
  periodId: string;
  key: string;
  isLate: boolean;
  net: Decimal;
  back: Decimal;
};

/**
 * What a line below zero takes back, without tax. It takes back charges whose keys begin with a text of the first list, the latest charge first, then
 * those of the next list; only of `invoiceId` if the line names that. A settled line says which `parts` it takes back.
 */
export type TakenBack = {
  parts?: readonly ReversalPart[];
  periodId: string;
  sourceId: string;
  amount: Decimal;
  keys: readonly (readonly string[])[];
  invoiceId: string | null;
};

/** What a line charges again of what the switch to a subscription at an instant has credited. */
export type ChargedAgain = { sourceId: string; amount: Decimal; periodId: string; subscriptionId: string; at: Instant };

/** The terms of an invoice, or of one of its sections. `discountsUsed` have lowered it. */
export type IssuedTerms = {
  section: number;
  kind: InvoiceKind;
  periodId: string;
  subscriptionIds: readonly string[];
  discountsUsed: readonly string[];
};

/** Everything that an invoice keeps of its charges, and what its other lines do to earlier ones. */
export type IssuedRecord = {
  terms: IssuedTerms[];
  charges: IssuedCharge[];
  takenBack: TakenBack[];
  chargedAgain: ChargedAgain[];
};

/** A line with its place, its section and its period. */
type PlacedLine = { line: InvoiceLine; ordinal: number; section: number; period: KeyedPeriod };

/** Records what an invoice charges, line by line (spec/reversals#what-stands), and what its lines below zero take back. */
export function recordOf(invoice: Recorded, periods: KeyedPeriods): IssuedRecord {
  const places = currencyOf(invoice.currency).exponent;
  const sections = sectionsOf(invoice);
  const placed = invoice.lines.flatMap((line, ordinal): PlacedLine[] => {
    const period = periods.find(line);
    return period === null || isNoCharge(line) ? [] : [{ line, ordinal, section: sections.of(ordinal), period }];
  });
  const charges = placed.flatMap((one) => chargeOf(one, places));
  const cuts = placed.filter(({ line }) => line.type === 'true_up' && netOf(line).lt(0));
  const uncut = cuts.flatMap((cut) => cutCharges(cut, charges, places));
  const others = placed.filter((one) => !cuts.includes(one));
  const terms = sections.heads.map((head, section): IssuedTerms => {
    const ours = placed.filter((one) => one.section === section);
    const ids = new Set(ours.flatMap(({ line }) => line.subscriptionId ?? []));
    const discountsUsed = invoice.lines.flatMap(({ basis }, ordinal) =>
      basis?.of === 'discount' && sections.of(ordinal) === section ? [basis.discountId] : [],
    );
    const periodId = periodIdOfTerms(head, ours, periods);
    return { section, kind: head.kind, periodId, subscriptionIds: [...ids], discountsUsed };
  });
  const minimums = minimumsWithoutLine(invoice, placed, { charges, heads: sections.heads, periods });
  return {
    terms,
    charges: [...charges, ...minimums].map(capBack),
    takenBack: [...uncut, ...others.flatMap(takenBackBy)],
    chargedAgain: others.flatMap(chargedAgainBy),
  };
}

function isNoCharge({ type }: InvoiceLine): boolean {
  return type === 'discount' || type === 'credit';
}

function netOf({ amount, discountAmount = ZERO }: InvoiceLine): Decimal {
  return amount.minus(discountAmount);
}

/** Whether a line charges again what was credited: of an invoice of an earlier release its text says so. */
function isAgain({ type, metricId, amount, isChargedAgain, description }: InvoiceLine): boolean {
  if (type !== 'proration' || metricId !== null || !amount.gt(0)) return false;
  return isChargedAgain === true || /: less \d+ of \d+ days$/.test(description);
}

/** Lines that keep their key without an amount: an invoice shows them at zero. */
const KEPT_AT_ZERO: readonly string[] = ['recurring_fee', 'prepaid_units', 'usage', 'addon'];

function chargeOf({ line, ordinal, section, period }: PlacedLine, places: number): IssuedCharge[] {
  const { amount, type, creditedBefore = ZERO, basis } = line;
  const isCharge = amount.gt(0)
    ? !isAgain(line) && line.reverses === undefined
    : amount.isZero() && KEPT_AT_ZERO.includes(type);
  if (!isCharge) return [];
  const net = netOf(line);
  const isLate = type === 'late_usage' || (basis?.of === 'limits' && basis.isLate);
  const back = creditedBefore.gt(0) ? roundHalfAwayFromZero(creditedBefore, places) : ZERO;
  const of = { ordinal, lineId: line.lineId, section, periodId: periodIdIn(period), key: keyOf(line, period) };
  return [{ ...of, isLate, net: net.gt(0) ? net : ZERO, back }];
}

/** Returns the key of a line, which the cost of its period has as well (spec/reversals#cost). */
export function keyOf(line: Omit<InvoiceLine, 'lineId'> & { lineId?: string | null }, period: KeyedPeriod): string {
  const { type, lineId, subscriptionId, metricId, planId, version, periodStart, group, priceId = null } = line;
  const periodId = periodIdIn(period);
  const windowId = windowIdOf(period);
  switch (type) {
    case 'recurring_fee':
      return `${feeKeys(periodId)}${period.firstHolderId}`;
    case 'prepaid_units':
      return `${unitsKeys(periodId, windowId, metricId ?? '')}${subscriptionId}`;
    case 'proration':
      return metricId === null
        ? `${feeKeys(periodId)}${subscriptionId}`
        : `${unitsKeys(periodId, windowId, metricId)}${lineId}`;
    case 'addon':
      return pricedKey(periodId, 'addon', '', line.addonSubscriptionId ?? `${line.addonId}`);
    case 'true_up':
      return minimumKey(periodId, { windowId: metricId === null ? null : windowId, metricId });
    default: {
      const item = {
        metricId: metricId ?? '',
        planId: planId ?? '',
        version: version ?? 0,
        periodStart: periodStart ?? 0,
      };
      return pricedKey(
        periodId,
        'usage',
        windowId,
        usageItemId({ ...item, group: group ? { texts: group, priceId } : null }),
      );
    }
  }
}

/** The keys that a limit counts: of a metric in a usage period, or of a plan everything but add-ons. */
function limitedKeys({ line: { metricId }, period }: PlacedLine): string[] {
  const periodId = periodIdIn(period);
  const windowId = windowIdOf(period);
  if (metricId === null)
    return ['recurring_fee', 'prepaid_units', 'usage', 'true_up'].map((kind) => `${periodId}/${kind}/`);
  const ofMinimum = minimumKey(periodId, { windowId, metricId });
  return [usageKeys(periodId, windowId, metricId), unitsKeys(periodId, windowId, metricId), ofMinimum];
}

/** Shares what a maximum cuts by the lines that it cuts. What exceeds them takes back what earlier invoices have charged. */
function cutCharges(cut: PlacedLine, charges: IssuedCharge[], places: number): TakenBack[] {
  const keys = limitedKeys(cut);
  const counted = charges.filter(
    ({ section, key }) => section === cut.section && keys.some((one) => key.startsWith(one)),
  );
  const whole = netOf(cut.line).negated();
  const own = min(whole, sum(counted.map(({ net }) => net)));
  const shares = cumulativeShares(
    own,
    counted.map(({ net }) => net),
    places,
  );
  for (const [i, charge] of counted.entries()) charge.net = charge.net.minus(shares[i] ?? ZERO);
  const rest = whole.minus(own);
  if (!rest.gt(0)) return [];
  const periodId = periodIdIn(cut.period);
  return [{ periodId, sourceId: idOf(cut.line), amount: rest, keys: [keys], invoiceId: null }];
}

function takenBackBy({ line, period }: PlacedLine): TakenBack[] {
  const amount = netOf(line).negated();
  if (!amount.gt(0)) return [];
  const { type, metricId, givenBackOf = null, reverses: parts } = line;
  const periodId = periodIdIn(period);
  const ofMetric = metricId === null ? [] : [usageKeys(periodId, windowIdOf(period), metricId)];
  const keys = type === 'late_usage' ? [[keyOf(line, period)], ofMetric] : [[feeKeys(periodId)]];
  return [{ periodId, sourceId: idOf(line), amount, keys, invoiceId: givenBackOf, ...(parts && { parts }) }];
}

function chargedAgainBy({ line, period }: PlacedLine): ChargedAgain[] {
  const { subscriptionId, periodStart: at } = line;
  if (!isAgain(line) || subscriptionId === null || at === null) return [];
  return [{ sourceId: idOf(line), amount: netOf(line), periodId: periodIdIn(period), subscriptionId, at }];
}

function idOf({ lineId }: InvoiceLine): string {
  if (lineId === null) throw new Error('a line of an issued invoice has no id');
  return lineId;
}

/** Minimums that an invoice reaches without a line: late corrections may miss them later. */
function minimumsWithoutLine(
  { lines }: Recorded,
  placed: readonly PlacedLine[],
  { charges, heads, periods }: { charges: readonly IssuedCharge[]; heads: readonly TermsHead[]; periods: KeyedPeriods },
): IssuedCharge[] {
  const ended = heads.flatMap((head, section) => {
    const own = head.kind === 'period' || head.kind === 'closing' ? periods.find(head) : null;
    const billed = placed
      .filter((one) => one.section === section && one.line.type === 'usage')
      .map(({ period }) => period);
    return [...new Set([...(own ? [own] : []), ...billed])].map((period) => ({ section, period }));
  });
  const keys = new Set(charges.map(({ key }) => key));
  const missing = ended.flatMap(({ section, period }) => {
    const periodId = periodIdIn(period);
    // The plan's minimum counts at the end of the billing period.
    const isLast = periods.nextOf(period)?.billing.startsAt !== period.billing.startsAt;
    return period.minimums.flatMap((metricId) => {
      if (metricId === null && !isLast) return [];
      const key = minimumKey(periodId, { windowId: metricId === null ? null : windowIdOf(period), metricId });
      if (keys.has(key)) return [];
      keys.add(key);
      return [{ section, periodId, key }];
    });
  });
  return missing.map((one, i) => ({
    ...one,
    ordinal: lines.length + i,
    lineId: null,
    isLate: false,
    net: ZERO,
    back: ZERO,
  }));
}

function capBack(charge: IssuedCharge): IssuedCharge {
  return { ...charge, back: min(charge.back, charge.net) };
}

/**
 * The billing period that terms count for (spec/discounts#periods): the one whose fee is on the invoice, or would be if there were one; else the
 * one in which the invoice lies.
 */
function periodIdOfTerms(head: TermsHead, placed: readonly PlacedLine[], { find, nextOf }: KeyedPeriods): string {
  const own = find(head);
  const fees = placed.filter(
    ({ line }) => line.type === 'recurring_fee' && line.subscriptionId === head.subscriptionId,
  );
  const [latest] = fees.toSorted((a, b) => b.period.billing.startsAt - a.period.billing.startsAt);
  if (latest) return periodIdIn(latest.period);
  if (own === null) return placed[0] ? periodIdIn(placed[0].period) : '';
  const isAhead = head.kind === 'period' && own.isInAdvance && own.endsAt === own.billing.endsAt;
  return periodIdIn((isAhead ? nextOf(own) : undefined) ?? own);
}
