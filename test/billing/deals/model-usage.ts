import { BigNumber } from 'bignumber.js';
import type { DealBook, DealComponent, DealEvent, DealPrice, DealRow } from './deal.ts';

/** Numbers without a rounding of their own, and what the events of a component cost (spec/rating, spec/price-books). */
export type Amount = BigNumber;
/**
 * `key`: of which combination and row, and `count` of its events; `off`: what discounts took; `isBack`: it changes an earlier charge, and is
 * of no discount; `gone`: what was credited of it before it was on an invoice, below nought what it charges of that again; `isNew`: its row
 * came after the window was billed.
 */
export type Line = {
  type: string;
  metric: string;
  key: string;
  count: number;
  isNew: boolean;
  amount: Amount;
  off: Amount;
  gone: Amount;
  isBack: boolean;
  invoice: Invoice | null;
};
/** What of an invoice has not gone back, with tax, and what percentages have left of a fee on it. */
export type Invoice = { left: Amount; share: Amount };

/** The first instant of a day. */
export type At = (day: number) => number;

const Exact = BigNumber.clone({ DECIMAL_PLACES: 60, ROUNDING_MODE: BigNumber.ROUND_HALF_UP });
export const { min, max } = BigNumber;
export const exact = (number: BigNumber.Value | null = 0): Amount => new Exact(number ?? 0);
export const sum = (all: Amount[]): Amount => all.reduce((a, b) => a.plus(b), exact());
export const total = (lines: Line[]): Amount => sum(lines.map(({ amount }) => amount));
/** What discounts have left of lines. */
export const net = (lines: Line[]): Amount => sum(lines.map(({ amount, off }) => amount.minus(off)));

export function line(type: string, metric: string, amount: Amount, more: Partial<Line> = {}): Line {
  const nothing = { off: exact(), gone: exact() };
  return { type, metric, amount, key: '', count: 0, isNew: false, ...nothing, isBack: false, invoice: null, ...more };
}

/** Usage that one plan bills, from one instant to another; `limits`: those that count it, of its component, then of the plan. */
export type Window = {
  component: DealComponent;
  from: number;
  until: number;
  isTrial: boolean;
  billedAt: number;
  lines: Line[];
  limits: Limit[];
};

/** What has been charged of what has limits, and what these have made of it. */
export type Limit = { charged: Amount; least: Amount; most: Amount; truedUp: Amount };

/** What is missing to the least or, below nought, too much for the most, and was not trued up before. */
export function trueUp(limit: Limit): Amount {
  const made = min(max(limit.charged, limit.least), limit.most).minus(limit.charged);
  const up = made.minus(limit.truedUp);
  limit.truedUp = made;
  return up;
}

/** What a window costs by what has landed by now: each combination and row is a line, and what has no price is held, or left out. */
export function usageOf({ component, from, isTrial, billedAt }: Window, events: DealEvent[], at: At, now: number) {
  const { metricId, book } = component;
  const paid = isTrial ? exact() : prepaidOf(component);
  // What holds nothing is counted again by the rows that it was billed by.
  const known = book?.unmatched === 'hold' ? now : billedAt;
  const rows = book?.rows.filter(({ addedAt = 0 }) => addedAt <= known) ?? [];
  const keyOf = (event: DealEvent) =>
    book
      ? `${JSON.stringify(book.groupBy.map((name) => event.texts[name]))} ${rowOf({ ...book, rows }, event, from, at)?.id ?? 'none'}`
      : '';
  const lines: Line[] = [];
  const held: string[] = [];
  for (const [key, some] of Map.groupBy(events, keyOf)) {
    const values = some.map(({ value }) => exact(value));
    const row = rows.find(({ id }) => key.endsWith(` ${id}`));
    const isNew = (row?.addedAt ?? 0) > billedAt;
    if (row || !book || book.unmatched === 'price')
      lines.push(
        line('usage', metricId, max(priceOf(row ?? component, values).minus(paid), 0), {
          key,
          count: some.length,
          isNew,
        }),
      );
    else if (book.unmatched === 'hold') held.push(`${metricId} ${key} ${sum(values)} ${some.length}`);
  }
  return { lines, held };
}

/** What the units of a component cost that it pays ahead. */
export function prepaidOf(component: DealComponent): Amount {
  return priceOf(component, [exact(component.prepaidUnits)]);
}

/**
 * Of the rows that match and hold by then what was agreed on, then the one naming most, then the earlier names, then the latest. Those that
 * were added since the window began come behind all, the first of them first.
 */
function rowOf({ rows, groupBy }: DealBook, { texts, time }: DealEvent, begun: number, at: At): DealRow | undefined {
  const rank = ({ isOverride, when, from, addedAt = 0 }: DealRow) =>
    addedAt > begun
      ? [-addedAt]
      : [1, isOverride, Object.keys(when).length, ...groupBy.map((name) => name in when), from ?? -1_000].map(Number);
  const isMatch = ({ when, from }: DealRow) =>
    groupBy.every((name) => !(name in when) || when[name] === texts[name]) && (from === null || at(from) <= time);
  return rows.filter(isMatch).toSorted((a, b) => rank(b).reduce((order, x, i) => order || x - (rank(a)[i] ?? 0), 0))[0];
}

function priceOf({ price, freeTier }: { price: DealPrice | null; freeTier: string }, values: Amount[]): Amount {
  if (price === null) return exact();
  if (price.model === 'per_unit') return max(sum(values).minus(freeTier), 0).times(price.price);
  const { percentage, fixed, least, most } = price;
  const each = values.filter((value) => value.gt(0)).map((value) => value.times(percentage).div(100).plus(fixed));
  return sum(each.map((cost) => min(max(cost, least ?? 0), most ?? Infinity)));
}
