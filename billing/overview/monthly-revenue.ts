import { type Decimal, decimal, roundHalfAwayFromZero, sum } from '../../core/decimal.ts';
import { type BillingPeriod, PERIOD_MONTHS } from '../periods/calendars.ts';

/** Recurring charges of active subscriptions that bill in one rhythm: their fees, and their periodic add-ons. */
export type RecurringSum = { billingPeriod: BillingPeriod; amount: Decimal };

/** Twelfths of a month divide by all of them, so that nothing is rounded before the end. */
const PARTS = 12;

/**
 * What recurring charges come to in a month, at the currency's `places` (spec/overview#mrr): 29 monthly with add-ons of 6,
 * 90 quarterly and 1,200 annual are 165.00. Rounded once.
 */
export function monthlyRevenue(sums: readonly RecurringSum[], places: number): Decimal {
  const twelfths = sum(sums.map(({ billingPeriod, amount }) => amount.times(PARTS / PERIOD_MONTHS[billingPeriod])));
  return roundHalfAwayFromZero(twelfths.div(decimal(PARTS)), places);
}
