import { z } from '@hono/zod-openapi';
import { type CostAnalysis, MAX_ANALYSIS_DAYS } from '../billing/invoices/cost-analysis.ts';
import { invalid } from '../core/domain-error.ts';
import { addDays, daysBetween, isLocalDate, type LocalDate } from '../core/instants.ts';
import { currencyToWire, currencyWire, dateInput, dateWire, decimalWire } from './primitives.ts';

/** Days of an analysis without dates (spec/cost-analysis#margin). */
const DEFAULT_DAYS = 30;

/** Days for which usage can be stored. */
const dayInput = dateInput.refine((date) => date >= '1970-01-01' && date < '2300-01-01', 'Must be from 1970 to 2299.');

/** Query of GET /api/customers/<id>/cost_analysis/; both dates are inclusive. */
export const costAnalysisQuery = z
  .object({ start_date: dayInput.optional(), end_date: dayInput.optional() })
  .superRefine(({ start_date, end_date }, context) => {
    // A date that is none has its own message.
    const areDates = isLocalDate(start_date ?? '') && isLocalDate(end_date ?? '');
    const message = areDates && start_date && end_date && problemWith(start_date, end_date);
    if (message) context.addIssue({ code: 'custom', path: ['end_date'], message });
  });

/**
 * The days that are asked for: the last 30 up to `today` where nothing else is said.
 * @throws DomainError `invalid` for a start after the end or today, and for more than 366 days.
 */
export function daysAsked(query: z.output<typeof costAnalysisQuery>, today: LocalDate) {
  const endDate = query.end_date ?? today;
  const startDate = query.start_date ?? addDays(endDate, 1 - DEFAULT_DAYS);
  const message = problemWith(startDate, endDate);
  if (message) throw invalid({ [query.end_date ? 'end_date' : 'start_date']: [message] });
  return { startDate, endDate };
}

function problemWith(startDate: LocalDate, endDate: LocalDate): string | undefined {
  if (startDate > endDate) return `${startDate} is after ${endDate}.`;
  const days = daysBetween(startDate, endDate) + 1;
  return days > MAX_ANALYSIS_DAYS ? `Must span at most ${MAX_ANALYSIS_DAYS} days, not ${days}.` : undefined;
}

const costDatumWire = z.object({
  metric_id: z.string(),
  metric_name: z.string(),
  usage: decimalWire,
  cost: decimalWire,
});

const costDayWire = z.object({
  date: dateWire,
  revenue: decimalWire,
  cost: decimalWire,
  margin: decimalWire,
  cost_data: z.array(costDatumWire),
});

export const costAnalysisWire = z
  .object({
    customer_id: z.string(),
    currency: currencyWire,
    start_date: dateWire,
    end_date: dateWire,
    per_day: z.array(costDayWire),
    total_revenue: decimalWire,
    total_cost: decimalWire,
    total_margin: decimalWire,
    profit_margin: decimalWire,
  })
  .openapi('CostAnalysis');

type Asked = { customerId: string; currency: string; startDate: LocalDate; endDate: LocalDate };

/** The analysis as the API returns it. */
export function costAnalysisToWire(analysis: CostAnalysis, asked: Asked): z.infer<typeof costAnalysisWire> {
  return {
    customer_id: asked.customerId,
    currency: currencyToWire(asked.currency),
    start_date: asked.startDate,
    end_date: asked.endDate,
    per_day: analysis.perDay.map(({ date, revenue, cost, margin, costData }) => ({
      date,
      revenue,
      cost,
      margin,
      cost_data: costData.map((datum) => ({
        metric_id: datum.metricId,
        metric_name: datum.metricName,
        usage: datum.usage,
        cost: datum.cost,
      })),
    })),
    total_revenue: analysis.totalRevenue,
    total_cost: analysis.totalCost,
    total_margin: analysis.totalMargin,
    profit_margin: analysis.profitMargin,
  };
}
