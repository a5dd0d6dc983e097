import { type Decimal, decimal, roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import { addDays, type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import type { EventPrices } from '../pricing/percentage.ts';
import { type Component, priceBeyondPrepaid, rate } from '../pricing/rating.ts';

/** A metric's value from the start of its period to the end of a day, and what its events come to where each has a price. */
export type RunningQuantity = { date: LocalDate; quantity: Decimal; byEvent?: EventPrices };

type Evenly = Extract<Revenue, { falls: 'evenly' }>;

/** What prices usage. */
type Pricing = { component: Component; prepaidUnits: Decimal };

/**
 * What one line of an invoice brings in, and what it falls on (spec/cost-analysis#margin): fees and prepaid units evenly on the days of
 * their period; usage on the days that caused it, by its running total (days in ascending order, those without events left
 * out); late usage likewise, with and without what came late; a one-time charge on its day. `amount` is the line's, `off` what discounts
 * take off the days of usage, each in proportion.
 */
export type Revenue = { amount: Decimal; off?: Decimal } & (
  | { falls: 'evenly'; days: readonly LocalDate[] }
  | { falls: 'once'; day: LocalDate }
  | ({ falls: 'by_usage'; running: readonly RunningQuantity[] } & Pricing)
  | ({
      falls: 'by_late_usage';
      before: readonly RunningQuantity[];
      after: readonly RunningQuantity[];
      prepaidBefore: Decimal;
    } & Pricing)
);

/**
 * The line's amount by day, in units of `places` decimals: what has been earned up to the end of a day is rounded, so that the
 * days add up to the amount exactly, and each is off its exact share by less than one unit. Throws where usage does not
 * lead to the amount that was billed for it.
 */
export function revenueByDay(revenue: Revenue, places: number): Map<LocalDate, Decimal> {
  if (revenue.falls === 'evenly') return spreadEvenly(revenue, places);
  const earned = earnedUpTo(revenue, places);
  const net = netOf(revenue, places);
  const days = new Map<LocalDate, Decimal>();
  let before = ZERO;
  for (const { date, total } of earned) {
    days.set(date, (days.get(date) ?? ZERO).plus(net(total)).minus(net(before)));
    before = total;
  }
  if (!before.eq(revenue.amount)) throw new Error(`days of ${before} for a line of ${revenue.amount}`);
  return days;
}

/** What is left of what has been earned up to a day, once discounts have taken their part of it. */
function netOf({ amount, off = ZERO }: Revenue, places: number): (earned: Decimal) => Decimal {
  if (off.isZero() || amount.isZero()) return (earned) => earned;
  return (earned) => earned.minus(roundHalfAwayFromZero(off.times(earned).div(amount), places));
}

/** The local dates that a period touches, in order; `end` is exclusive. */
export function daysOfPeriod(start: Instant, end: Instant, timeZone: string): LocalDate[] {
  const last = localDateAt(Math.max(start, end - 1), timeZone);
  const days: LocalDate[] = [];
  for (let day = localDateAt(start, timeZone); day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/**
 * Each day has the whole units of its share, and one more where what has been earned up to its end, rounded half away from zero, comes to one
 * more: the days of a thousand fees are found without a division for each.
 */
function spreadEvenly({ amount, days }: Evenly, places: number): Map<LocalDate, Decimal> {
  const [units, count] = [amount.abs().shiftedBy(places), days.length];
  if (!units.isInteger()) throw new Error(`${amount} is not in whole units of ${places} decimals`);
  const unit = decimal(amount.isNegative() ? -1 : 1).shiftedBy(-places);
  const whole = units.idiv(count);
  const less = whole.isZero() ? ZERO : whole.times(unit);
  const more = less.plus(unit);
  // What is left for each day, in parts of which a unit has `2 * count`; half a unit is rounded up, so that much is there from the start.
  const each = units.minus(whole.times(count)).times(2).toNumber();
  let parts = count;
  return new Map(
    days.map((date) => {
      parts += each;
      if (parts < 2 * count) return [date, less];
      parts -= 2 * count;
      return [date, more];
    }),
  );
}

type Earned = { date: LocalDate; total: Decimal };

function earnedUpTo(revenue: Exclude<Revenue, Evenly>, places: number): Earned[] {
  const { amount } = revenue;
  if (revenue.falls === 'once') return [{ date: revenue.day, total: amount }];
  if (revenue.falls === 'by_usage') return charged(revenue, revenue.running, places);
  const now = charged(revenue, revenue.after, places);
  const then = charged({ ...revenue, prepaidUnits: revenue.prepaidBefore }, revenue.before, places);
  const dates = [...new Set([...now, ...then].map(({ date }) => date))].sort();
  return dates.map((date) => ({ date, total: latest(now, date).minus(latest(then, date)) }));
}

/** What the usage up to the end of each day costs, rounded as a line would be. */
function charged({ component, prepaidUnits }: Pricing, running: readonly RunningQuantity[], places: number): Earned[] {
  return running.map(({ date, quantity, byEvent }) => {
    const price = priceBeyondPrepaid(component, rate(component, quantity, byEvent), prepaidUnits);
    return { date, total: roundHalfAwayFromZero(price, places) };
  });
}

function latest(earned: readonly Earned[], date: LocalDate): Decimal {
  return earned.findLast((one) => one.date <= date)?.total ?? ZERO;
}
