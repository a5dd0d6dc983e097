import {
  add,
  compare,
  type Fraction,
  fraction,
  least,
  multiply,
  NOUGHT,
  notBelowNought,
  subtract,
  toUnits,
  unitsText,
  whole,
} from '../simulator/fractions.ts';
import { dayOfText, startOfDay } from '../simulator/model-calendar.ts';
import { daysIn, firstDayOf } from '../simulator/model-periods.ts';
import type { Deal, DealComponent, DealInvoice, DealLimits, DealPrice } from './deal.ts';

/** The rules of deals told as simply as they can be told, with a calendar and numbers of their own. Nothing of billing/ is asked. */

const PLACES = 2;
const CENT = fraction('0.01');

/** Days as numbers since 1970; of a part of `whole` days. */
type Days = { from: number; to: number; whole: number };
/** A usage period within its billing period. */
type UsagePeriod = Days & { billing: Days; nextBilling: Days };
type Line = { type: string; metric: string; units: bigint };

export function modelDeal(deal: Deal): DealInvoice[] {
  const invoices: DealInvoice[] = [];
  const used = deal.discounts.map(() => 0);
  /** Of the billing period: what its limits count, and what they have made of it. */
  let [charged, truedUp] = [0n, 0n];

  function issue(kind: string, [from, to]: [number, number], lines: Line[]) {
    const all = [...lines, ...discountLines(deal, lines, used)];
    const subtotal = sumOf(all);
    const tax = toUnits(multiply(money(subtotal), multiply(fraction(deal.taxRate), CENT)), PLACES);
    const texts = all.map(({ type, metric, units }) => `${type} ${metric} ${unitsText(units, PLACES)}`).sort();
    invoices.push({ kind, from, to, lines: texts, subtotal: unitsText(subtotal, PLACES), tax: unitsText(tax, PLACES) });
  }
  const fee = ({ from, to, whole: all }: Days): Line =>
    line('recurring_fee', '', part(fraction(deal.fee), to - from, all));
  const inAdvance = deal.timing === 'in_advance';
  const hasFee = fraction(deal.fee).n > 0n;

  const canceledOn = deal.cancelDay === null ? null : dayOfText(deal.startDate) + deal.cancelDay;
  if (deal.billsTrial && deal.trialDays > 0 && deal.components.length > 0) {
    const start = dayOfText(deal.startDate);
    const [from, to] = [startOf(deal, start - deal.trialDays), startOf(deal, start)];
    const usage = deal.components.map((one) => usageLine(one, deal, [from, to]));
    const [first] = usagePeriods(deal);
    issue('period', [from, to], first && inAdvance && hasFee ? [...usage, fee(first.billing)] : usage);
  }
  for (const period of usagePeriods(deal)) {
    const { billing } = period;
    const isFirst = period.from === billing.from;
    if (isFirst && inAdvance && invoices.length === 0 && fee(billing).units > 0n)
      issue('opening', [startOf(deal, period.from), startOf(deal, period.to)], [fee(billing)]);
    if (isFirst) [charged, truedUp] = [inAdvance ? fee(billing).units : 0n, 0n];
    const isCanceled = canceledOn !== null && canceledOn < period.to;
    const isOver = isCanceled || period.to === billing.to;
    const end = isCanceled ? canceledOn : period.to;
    const from = startOf(deal, period.from);
    const times: [number, number] = [from, startOf(deal, end) + (isCanceled ? NOON : 0)];

    const lines: Line[] = [];
    const owed = lived(deal, { ...billing, to: end });
    if (isOver && !inAdvance && hasFee && owed > 0)
      lines.push(line('recurring_fee', '', part(fraction(deal.fee), owed, billing.whole)));
    if (isOver && !isCanceled && inAdvance && hasFee) lines.push(fee(period.nextBilling));
    const inForce = { ...period, to: end };
    for (const component of deal.components) lines.push(...componentLines(component, deal, times, inForce));
    charged += sumOf(lines.filter(({ type }) => type !== 'recurring_fee' || !inAdvance));
    if (isCanceled && inAdvance) charged -= part(fraction(deal.fee), billing.to - end, billing.whole);
    const minimum = isOver ? share(deal.limits.minimum, deal, { ...billing, to: end }) : null;
    const difference = missing(charged, { ...deal.limits, minimum }) - truedUp;
    if (difference !== 0n) lines.push(line('true_up', '', difference));
    truedUp += difference;
    issue(isCanceled ? 'closing' : 'period', [from, startOf(deal, period.to)], lines);
    if (isCanceled) break;
  }
  return invoices;
}

const NOON = 43_200_000;
const EVENING = 64_800_000;

/** The usage of a component and what its own limits make of it. */
function componentLines(component: DealComponent, deal: Deal, times: [number, number], inForce: Days): Line[] {
  const { metricId, limits } = component;
  const usage = usageLine(component, deal, times);
  const minimum = share(limits.minimum, deal, inForce);
  const difference = missing(usage.units, { ...limits, minimum });
  return difference === 0n ? [usage] : [usage, line('true_up', metricId, difference)];
}

function usageLine({ metricId, price }: DealComponent, deal: Deal, [from, to]: [number, number]): Line {
  const isPaused = (time: number) =>
    deal.pauses.some((one) => time >= dayOf(deal, one.from, NOON) && time < dayOf(deal, one.to, EVENING));
  const values = deal.events
    .filter((one) => one.metricId === metricId && one.time >= from && one.time < to && !isPaused(one.time))
    .map(({ value }) => fraction(value));
  return line('usage', metricId, toUnits(priceOf(price, values), PLACES));
}

function priceOf(price: DealPrice, values: Fraction[]): Fraction {
  if (price.model === 'per_unit') {
    const beyond = notBelowNought(subtract(values.reduce(add, NOUGHT), fraction(price.freeTier)));
    return multiply(beyond, fraction(price.price));
  }
  const each = values
    .filter(({ n }) => n > 0n)
    .map((value) => {
      const exact = add(multiply(value, multiply(fraction(price.percentage), CENT)), fraction(price.fixed));
      const raised = price.least !== null && compare(exact, fraction(price.least)) < 0 ? fraction(price.least) : exact;
      return price.most === null ? raised : least(raised, fraction(price.most));
    });
  return each.reduce(add, NOUGHT);
}

/** In the order in which they were redeemed: each takes of what those before it have left of the lines that all of them are about. */
function discountLines({ discounts, discountedTypes }: Deal, lines: Line[], used: number[]): Line[] {
  let left = sumOf(lines.filter(({ type }) => discountedTypes === null || discountedTypes.some((one) => one === type)));
  return discounts.flatMap(({ off, periods }, i) => {
    if (left <= 0n || (periods !== null && (used[i] ?? 0) >= periods)) return [];
    const wanted =
      'percent' in off ? multiply(money(left), multiply(fraction(off.percent), CENT)) : fraction(off.amount);
    const taken = toUnits(least(wanted, money(left)), PLACES);
    if (taken === 0n) return [];
    used[i] = (used[i] ?? 0) + 1;
    left -= taken;
    return [line('discount', '', -taken)];
  });
}

/** Those that are lived at most. */
export function* usagePeriods(deal: Deal): Generator<UsagePeriod> {
  const months = { ...deal, days: 30 as const };
  let made = 0;
  for (let k = 0; ; k++) {
    const [billing, nextBilling] = [k, k + 1].map((at): Days => {
      return { from: firstDayOf(deal, at), to: firstDayOf(deal, at + 1), whole: daysIn(deal, at).whole };
    });
    if (!billing || !nextBilling) return;
    for (let from = billing.from; from < billing.to; ) {
      const month = monthFrom(months, from, billing.to);
      const days = deal.billsMonths ? month : billing;
      yield { ...days, billing, nextBilling };
      if (++made === deal.usagePeriods) return;
      from = days.to;
    }
  }
}

/** The month of a billing period that begins on a day; by fixed days the last one takes the rest. */
function monthFrom(months: Deal & { days: 30 }, from: number, end: number): Days {
  if (months.calendar === 'fixed_days') {
    const to = end - from < 60 ? end : from + 30;
    return { from, to, whole: to - from };
  }
  let k = 0;
  while (firstDayOf(months, k) < from) k++;
  return { from, to: firstDayOf(months, k + 1), whole: daysIn(months, k).whole };
}

/** What is missing to the minimum, or below nought too much for the maximum. */
function missing(units: bigint, { minimum, maximum }: { minimum: bigint | null; maximum: string | null }): bigint {
  const most = maximum === null ? null : toUnits(fraction(maximum), PLACES);
  const raised = minimum !== null && units < minimum ? minimum : units;
  return (most !== null && raised > most ? most : raised) - units;
}

function share(minimum: DealLimits['minimum'], deal: Deal, days: Days): bigint | null {
  return minimum === null ? null : part(fraction(minimum), lived(deal, days), days.whole);
}

/** The days of it that were not paused: from the day of a pause to that of its end. */
function lived({ startDate, pauses }: Deal, { from, to }: Days): number {
  const start = dayOfText(startDate);
  const within = pauses.filter((one) => start + one.from >= from && start + one.to < to);
  return within.reduce((days, one) => days - (one.to - one.from), to - from);
}

/** amount * days / all, rounded. */
function part(amount: Fraction, days: number, all: number): bigint {
  return toUnits({ n: amount.n * BigInt(days), d: amount.d * BigInt(all) }, PLACES);
}

function line(type: string, metric: string, units: bigint): Line {
  return { type, metric, units };
}

function sumOf(lines: Line[]): bigint {
  return lines.reduce((sum, { units }) => sum + units, 0n);
}

function money(units: bigint): Fraction {
  return multiply(whole(units), CENT);
}

function dayOf({ startDate, zone }: Deal, day: number, time: number): number {
  return startOfDay(dayOfText(startDate) + day, zone) + time;
}

function startOf({ zone }: Deal, day: number): number {
  return startOfDay(day, zone);
}
