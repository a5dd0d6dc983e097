import { BigNumber } from 'bignumber.js';
import type { DealBook, DealComponent, DealEvent, DealPrice, DealRow } from './deal.ts';

/** Numbers without a rounding of their own, and what the events of a component cost (spec/rating, spec/price-books). */
export type Amount = BigNumber;
/** `of`: combination, row and number of events; `off`: what discounts took; `isBack`: it changes an earlier charge, and is of no discount. */
export type Line = {
  type: string;
  metric: string;
  of: string;
  amount: Amount;
  off: Amount;
  isBack: boolean;
  invoice: Invoice | null;
};
/** What of an invoice has not gone back, with tax, and what percentages have left of a fee on it. */
export type Invoice = { left: Amount; share: Amount };

const Exact = BigNumber.clone({ DECIMAL_PLACES: 60, ROUNDING_MODE: BigNumber.ROUND_HALF_UP });
export const { min, max } = BigNumber;
export const exact = (number: BigNumber.Value | null = 0): Amount => new Exact(number ?? 0);
export const sum = (all: Amount[]): Amount => all.reduce((a, b) => a.plus(b), exact());
export const total = (lines: Line[]): Amount => sum(lines.map(({ amount }) => amount));
/** What discounts have left of lines. */
export const net = (lines: Line[]): Amount => sum(lines.map(({ amount, off }) => amount.minus(off)));

export function line(type: string, metric: string, amount: Amount, { of = '', isBack = false } = {}): Line {
  return { type, metric, of, amount, off: exact(), isBack, invoice: null };
}

/** What events cost: each combination and row is a line, and what has no price is held, or left out. */
export function usageOf(component: DealComponent, events: DealEvent[], at: (day: number) => number, isTrial: boolean) {
  const { metricId, book } = component;
  const paid = isTrial ? exact() : prepaidOf(component);
  const keyOf = (event: DealEvent) =>
    book
      ? `${JSON.stringify(book.groupBy.map((name) => event.texts[name]))} ${rowOf(book, event, at)?.id ?? 'none'}`
      : '';
  const lines: Line[] = [];
  const held: string[] = [];
  for (const [key, some] of Map.groupBy(events, keyOf)) {
    const values = some.map(({ value }) => exact(value));
    const row = book?.rows.find(({ id }) => key.endsWith(` ${id}`));
    if (row || !book || book.unmatched === 'price')
      lines.push(
        line('usage', metricId, max(priceOf(row ?? component, values).minus(paid), 0), { of: `${key} ${some.length}` }),
      );
    else if (book.unmatched === 'hold') held.push(`${metricId} ${key} ${sum(values)} ${some.length}`);
  }
  return { lines: lines.length > 0 ? lines : [line('usage', metricId, exact(), { of: ' 0' })], held };
}

/** What the units of a component cost that it pays ahead. */
export function prepaidOf(component: DealComponent): Amount {
  return priceOf(component, [exact(component.prepaidUnits)]);
}

/** Of the rows that match and hold by then what was agreed on, then the one naming most, then the earlier names, then the latest. */
function rowOf(
  { rows, groupBy }: DealBook,
  { texts, time }: DealEvent,
  at: (day: number) => number,
): DealRow | undefined {
  const rank = ({ isOverride, when, from }: DealRow) =>
    [isOverride, Object.keys(when).length, ...groupBy.map((name) => name in when), from ?? -1_000].map(Number);
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
