import { type Decimal, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { addDays, daysBetween, type LocalDate } from '../../core/instants.ts';
import { type Revenue, revenueByDay } from './revenue-days.ts';

/** A cost metric with its value on each day; a day that is not named has none. */
export type CostMetric = {
  metricId: string;
  metricName: string;
  unitCost: Decimal;
  usage: ReadonlyMap<LocalDate, Decimal>;
};

/** `endDate` is inclusive; `places` are the currency's decimals. */
export type CostAnalysisInput = {
  startDate: LocalDate;
  endDate: LocalDate;
  places: number;
  revenues: readonly Revenue[];
  costMetrics: readonly CostMetric[];
};

export type CostDatum = { metricId: string; metricName: string; usage: Decimal; cost: Decimal };
export type CostDay = { date: LocalDate; revenue: Decimal; cost: Decimal; margin: Decimal; costData: CostDatum[] };

/** `profitMargin` is margin / revenue, 0 where revenue is 0. */
export type CostAnalysis = {
  perDay: CostDay[];
  totalRevenue: Decimal;
  totalCost: Decimal;
  totalMargin: Decimal;
  profitMargin: Decimal;
};

/** Days of one analysis at most (spec/cost-analysis#margin). */
export const MAX_ANALYSIS_DAYS = 366;

/** Far finer than anyone reads a ratio. */
const RATIO_DECIMALS = 12;

/**
 * Revenue, cost and margin of every day from `startDate` to `endDate` (spec/cost-analysis#margin). Costs are exact: the day's usage times
 * the metric's unit cost. Over a range that holds all days of some invoices' lines the revenue is their subtotals.
 */
export function analyseCosts(input: CostAnalysisInput): CostAnalysis {
  const { startDate, endDate, places, revenues, costMetrics } = input;
  const revenueOf = addUp(revenues.map((revenue) => revenueByDay(revenue, places)));
  const dates = Array.from({ length: daysBetween(startDate, endDate) + 1 }, (_, i) => addDays(startDate, i));
  const perDay = dates.map((date) => dayOf(date, revenueOf.get(date) ?? ZERO, costMetrics));
  const totalRevenue = sum(perDay.map(({ revenue }) => revenue));
  const totalCost = sum(perDay.map(({ cost }) => cost));
  const totalMargin = totalRevenue.minus(totalCost);
  const ratio = totalRevenue.isZero() ? ZERO : totalMargin.div(totalRevenue);
  return { perDay, totalRevenue, totalCost, totalMargin, profitMargin: roundHalfAwayFromZero(ratio, RATIO_DECIMALS) };
}

function dayOf(date: LocalDate, revenue: Decimal, costMetrics: readonly CostMetric[]): CostDay {
  const costData = costMetrics.map(({ metricId, metricName, unitCost, usage }) => {
    const used = usage.get(date) ?? ZERO;
    return { metricId, metricName, usage: used, cost: used.times(unitCost) };
  });
  const cost = sum(costData.map((datum) => datum.cost));
  return { date, revenue, cost, margin: revenue.minus(cost), costData };
}

function addUp(byDay: readonly ReadonlyMap<LocalDate, Decimal>[]): Map<LocalDate, Decimal> {
  const total = new Map<LocalDate, Decimal>();
  for (const days of byDay) for (const [date, amount] of days) total.set(date, amount.plus(total.get(date) ?? ZERO));
  return total;
}
