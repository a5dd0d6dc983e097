import { BigNumber } from 'bignumber.js';
import type { DealBook, DealComponent, DealEvent, DealPrice, DealRow } from './deal.ts';

/** What events cost, one by one (spec/rating, spec/price-books), and what limits make of it. Numbers have no rounding of their own. */
export type Amount = BigNumber;
/** What counts for what is given back of an invoice: who was billed, what it charges, and what has gone back with tax. */
export type Invoice = { payer: Billed; charges: Amount; gone: Amount };
type Billed = { credits: Amount; withTax(net: Amount): Amount; withoutTax(whole: Amount): Amount };
/**
 * `key`: of which combination and row, and `count` of its events; `isNew`: its row came after its window was billed; `limit`: what counts it; `off`: what
 * discounts took; `share`: what percentages beside it leave of a fee; `isBack`: it changes an earlier charge, and is of no discount; `gone`: what was
 * credited of it before it was on an invoice, below nought what it charges of that again.
 */
export type Line = {
  type: string;
  metric: string;
  amount: Amount;
  key: string;
  count: number;
  isNew: boolean;
  limit: Limit | null;
  off: Amount;
  share: Amount | null;
  isBack: boolean;
  gone: Amount;
  invoice: Invoice | null;
};
/** What has been charged, and what the least and the most have made of it; `of`: that of the plan, which counts that of a component. */
export type Limit = { metric: string; of: Limit | null; charged: Amount; least: Amount; most: Amount; truedUp: Amount };
/** Usage that one plan bills, from one instant to another. */
export type Window = {
  component: DealComponent;
  from: number;
  until: number;
  isTrial: boolean;
  limit: Limit | null;
  billedAt: number;
  lines: Line[];
};
/** `at`: the first instant of a day. */
export type Meter = { events: DealEvent[]; at(day: number): number; round(amount: Amount): Amount };

const Exact = BigNumber.clone({ DECIMAL_PLACES: 60, ROUNDING_MODE: BigNumber.ROUND_HALF_UP });
export const { min, max } = BigNumber;
export const exact = (number: BigNumber.Value | null = 0): Amount => new Exact(number ?? 0);
export const sum = (all: Amount[]): Amount => all.reduce((a, b) => a.plus(b), exact());
export const total = (lines: Line[]): Amount => sum(lines.map(({ amount }) => amount));
/** What discounts have left of lines. */
export const net = (lines: Line[]): Amount => sum(lines.map(({ amount, off }) => amount.minus(off)));

export function line(type: string, metric: string, amount: Amount, more: Partial<Line> = {}): Line {
  const nothing = { key: '', count: 0, isNew: false, limit: null, off: exact(), share: null, isBack: false };
  return { type, metric, amount, ...nothing, gone: exact(), invoice: null, ...more };
}

/** None yet, and nothing charged. */
export function limitOf(metric: string, of: Limit | null): Limit {
  return { metric, of, charged: exact(), least: exact(-Infinity), most: exact(Infinity), truedUp: exact() };
}

export function countFor(limit: Limit | null, amount: Amount): void {
  for (let one = limit; one; one = one.of) one.charged = one.charged.plus(amount);
}

/** What is missing to the least or, below nought, too much for the most, and was not trued up before. */
export function trueUp(limit: Limit): Line {
  const made = min(max(limit.charged, limit.least), limit.most).minus(limit.charged);
  const up = made.minus(limit.truedUp);
  limit.truedUp = made;
  countFor(limit.of, up);
  return line('true_up', limit.metric, up);
}

/** Lines with what limits make of them: those of components, then those of plans. */
export function limited(lines: Line[]): Line[] {
  for (const { limit, amount } of lines) countFor(limit, amount);
  const own = new Set(lines.flatMap(({ limit }) => limit ?? []));
  const plans = new Set([...own].flatMap(({ of }) => of ?? []));
  return [...lines, ...[...own].map(trueUp), ...[...plans].map(trueUp)];
}

/** What a window costs by what has landed by now: each combination and row is a line, and what has no price is held, or left out. */
export function costOf(window: Window, now: number, { events, at, round }: Meter): { lines: Line[]; held: string[] } {
  const { component, from, until, isTrial, billedAt, limit } = window;
  const { metricId: metric, book } = component;
  const paid = isTrial ? exact() : prepaidOf(component);
  // What holds nothing is counted again by the rows that it was billed by.
  const known = book?.unmatched === 'hold' ? now : billedAt;
  const rows = book?.rows.filter(({ addedAt = 0 }) => addedAt <= known) ?? [];
  const ours = events.filter(
    ({ metricId, time, landsAt = 0 }) => metricId === metric && time >= from && time < until && landsAt <= now,
  );
  const keyOf = (one: DealEvent) =>
    book &&
    `${JSON.stringify(book.groupBy.map((name) => one.texts[name]))} ${rowOf({ ...book, rows }, one, from, at)?.id ?? 'none'}`;
  const [lines, held]: [Line[], string[]] = [[], []];
  for (const [key, some] of Map.groupBy(ours, (one) => keyOf(one) ?? '')) {
    const values = some.map(({ value }) => exact(value));
    const row = rows.find(({ id }) => key.endsWith(` ${id}`));
    const isNew = (row?.addedAt ?? 0) > billedAt;
    const amount = round(max(priceOf(row ?? component, values).minus(paid), 0));
    if (row || !book || book.unmatched === 'price')
      lines.push(line('usage', metric, amount, { key, count: some.length, isNew, limit }));
    else if (book.unmatched === 'hold') held.push(`${metric} ${key} ${sum(values)} ${some.length}`);
  }
  return { lines, held };
}

/** What has come of a window since it was billed (spec/invoices#late-usage): of which an account may take only what is priced since. */
export function lateOf(window: Window, now: number, meter: Meter, isIgnored: boolean): Line[] {
  const [before, after] = [window.lines, costOf(window, now, meter).lines];
  window.lines = after;
  if (window.component.book?.unmatched === 'hold') window.billedAt = now;
  return after.flatMap(({ key, metric, amount, count, isNew, limit }) => {
    const was = before.find((one) => one.key === key);
    const change = { key, count: count - (was?.count ?? 0), limit };
    const late = line('late_usage', metric, amount.minus(was?.amount ?? 0), change);
    return late.amount.isZero() || (isIgnored && !isNew) ? [] : [late];
  });
}

/** What the units of a component cost that it pays ahead. */
export function prepaidOf(component: DealComponent): Amount {
  return priceOf(component, [exact(component.prepaidUnits)]);
}

/**
 * Of the rows that match and hold by then what was agreed on, then the one naming most, then the earlier names, then the latest. Those that
 * were added since the window began come behind all, the first of them first.
 */
function rowOf({ rows, groupBy }: DealBook, event: DealEvent, begun: number, at: Meter['at']): DealRow | undefined {
  const rank = ({ isOverride, when, from, addedAt = 0 }: DealRow) =>
    addedAt > begun
      ? [-addedAt]
      : [1, isOverride, Object.keys(when).length, ...groupBy.map((name) => name in when), from ?? -1_000].map(Number);
  const isMatch = ({ when, from }: DealRow) =>
    groupBy.every((name) => !(name in when) || when[name] === event.texts[name]) &&
    (from === null || at(from) <= event.time);
  return rows.filter(isMatch).toSorted((a, b) => rank(b).reduce((order, x, i) => order || x - (rank(a)[i] ?? 0), 0))[0];
}

function priceOf({ price, freeTier }: { price: DealPrice | null; freeTier: string }, values: Amount[]): Amount {
  if (price === null) return exact();
  if (price.model === 'per_unit') return max(sum(values).minus(freeTier), 0).times(price.price);
  const { percentage, fixed, least, most } = price;
  const each = values.filter((value) => value.gt(0)).map((value) => value.times(percentage).div(100).plus(fixed));
  return sum(each.map((cost) => min(max(cost, least ?? 0), most ?? Infinity)));
}
