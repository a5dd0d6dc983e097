import { BigNumber } from 'bignumber.js';
import {
  type Deal,
  type DealComponent,
  type DealEvent,
  type DealPlan,
  type DealPrice,
  type DealRow,
  PLACES,
} from './deal.ts';

/** What is counted and priced event by event, and what discounts take of it. */

export type Amount = BigNumber;
/** `of`: combination, row and number of events. `off`: what discounts took. `isBack`: it takes back, or charges again, what was discounted already.
 * `invoice`: what it is on, and what of that has not gone back. */
export type Line = {
  type: string;
  metric: string;
  of: string;
  amount: Amount;
  off: Amount;
  isBack: boolean;
  invoice: { left: Amount } | null;
};
export type Window = { plan: DealPlan; component: DealComponent; from: number; to: number };

const Exact = BigNumber.clone({ DECIMAL_PLACES: 60, ROUNDING_MODE: BigNumber.ROUND_HALF_UP });

export function exact(text: string | number | null | BigNumber): Amount {
  return new Exact(text ?? 0);
}

export function sum(all: Amount[]): Amount {
  return all.reduce((a, b) => a.plus(b), exact(0));
}

export function total(lines: Line[]): Amount {
  return sum(lines.map(({ amount }) => amount));
}

export function rounded({ currency }: Pick<Deal, 'currency'>, amount: Amount): Amount {
  return amount.dp(PLACES[currency]);
}

/** amount * days / all, rounded. */
export function part(deal: Deal, amount: Amount | string, days: number, all: number): Amount {
  return rounded(deal, exact(amount).times(days).div(all));
}

export function line(type: string, metric: string, amount: Amount, { of = '', isBack = false } = {}): Line {
  return { type, metric, of, amount, off: exact(0), isBack, invoice: null };
}

/** A line for each combination and row, of a component without a book for all its events; and what has no price. */
export function usageLines(deal: Deal, { component, from, to }: Window, at: (day: number) => number) {
  const { metricId, book } = component;
  const isPaused = (time: number) =>
    deal.pauses.some((one) => time >= at(one.from) + 12 * HOUR && time < at(one.to) + 18 * HOUR);
  const events = deal.events.filter(
    (one) => one.metricId === metricId && one.time >= from && one.time < to && !isPaused(one.time),
  );
  const unpriced = { price: component.price, freeTier: component.freeTier };
  const groups = book
    ? Map.groupBy(events, (event) => `${groupOf(component, event)} ${rowOf(component, event, at)?.id ?? 'none'}`)
    : new Map([['', events]]);
  const lines: Line[] = [];
  const held: string[] = [];
  for (const [group, some] of groups) {
    const row = book?.rows.find(({ id }) => group.endsWith(` ${id}`));
    const values = some.map(({ value }) => exact(value));
    if (book && !row && book.unmatched === 'hold') held.push(`${metricId} ${group} ${sum(values)} ${some.length}`);
    if (book && !row && book.unmatched !== 'price') continue;
    lines.push(
      line('usage', metricId, rounded(deal, priceOf(row ?? unpriced, values)), { of: `${group} ${some.length}` }),
    );
  }
  return { lines: lines.length > 0 ? lines : [line('usage', metricId, exact(0), { of: ' 0' })], held };
}

const HOUR = 3_600_000;

function groupOf({ book }: DealComponent, { texts }: DealEvent): string {
  return JSON.stringify(book?.groupBy.map((name) => texts[name]));
}

/** Of the rows that match and hold by then what was agreed on, then the one naming most, then the earlier names, then the latest. */
function rowOf({ book }: DealComponent, { texts, time }: DealEvent, at: (day: number) => number): DealRow | undefined {
  const { rows = [], groupBy = [] } = book ?? {};
  const isMatch = ({ when }: DealRow) => groupBy.every((name) => !(name in when) || when[name] === texts[name]);
  const found = rows.filter((row) => isMatch(row) && (row.from === null || at(row.from) <= time));
  const rank = ({ isOverride, when, from }: DealRow) => [
    isOverride ? 0 : 1,
    -Object.keys(when).length,
    ...groupBy.map((name) => (name in when ? 0 : 1)),
    -(from ?? -1_000),
  ];
  return found.toSorted((a, b) => rank(a).reduce((order, x, i) => order || x - (rank(b)[i] ?? 0), 0))[0];
}

function priceOf({ price, freeTier }: { price: DealPrice | null; freeTier: string }, values: Amount[]): Amount {
  if (price === null) return exact(0);
  if (price.model === 'per_unit') return BigNumber.max(sum(values).minus(freeTier), 0).times(price.price);
  return sum(
    values
      .filter((value) => value.gt(0))
      .map((value) => {
        const each = value.times(price.percentage).div(100).plus(price.fixed);
        const raised = BigNumber.max(each, price.least ?? 0);
        return BigNumber.min(raised, price.most ?? Infinity);
      }),
  );
}

/**
 * Each takes, in the order of redemption, of what those before it have left of the lines that all of them are about. `used`: how many invoices each
 * has lowered; those that act on this one are put in `acting`.
 */
export function discountLines(
  deal: Deal,
  lines: Line[],
  { used, isProration, acting }: { used: number[]; isProration: boolean; acting: Set<number> },
): Line[] {
  const meant = lines.filter(
    ({ type, isBack }) => !isBack && (deal.discountedTypes?.some((one) => one === type) ?? true),
  );
  return deal.discounts.flatMap(({ off, periods }, i) => {
    const left = sum(meant.map((one) => one.amount.minus(one.off)));
    const isOver = periods !== null && (used[i] ?? 0) >= periods;
    if (left.lte(0) || isOver || (isProration && 'amount' in off)) return [];
    const taken = 'percent' in off ? rounded(deal, left.times(off.percent).div(100)) : BigNumber.min(off.amount, left);
    if (taken.isZero()) return [];
    let [running, shared] = [exact(0), exact(0)];
    for (const one of meant) {
      running = running.plus(one.amount.minus(one.off));
      const share = rounded(deal, taken.times(running).div(left)).minus(shared);
      shared = shared.plus(share);
      one.off = one.off.plus(share);
    }
    acting.add(i);
    if (!isProration) used[i] = (used[i] ?? 0) + 1;
    return [line('discount', '', taken.negated())];
  });
}
