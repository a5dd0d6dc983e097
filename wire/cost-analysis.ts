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
  .object({
    start_date: dayInput.optional().openapi({ description: 'First day, inclusive.', example: '2026-11-01' }),
    end_date: dayInput.optional().openapi({ description: 'Last day, inclusive.', example: '2026-11-30' }),
  })
  .superRefine(({ start_date, end_date }, context) => {
    // A date that is none has its own message.
    const areDates = isLocalDate(start_date ?? '') && isLocalDate(end_date ?? '');
    const message = areDates && start_date && end_date && problemWith(start_date, end_date);
    if (message) context.addIssue({ code: 'custom', path: ['end_date'], message });
  });
export type CostAnalysisQuery = z.output<typeof costAnalysisQuery>;

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
  metric_id: z.string().openapi({ description: 'Id of a metric.', example: 'metric_01jd3k9x' }),
  metric_name: z
    .string()
    .openapi({ description: 'Display name of a metric; need not be unique.', example: 'API calls' }),
  usage: decimalWire.openapi({ description: 'Usage of the metric on this day.', example: 150 }),
  cost: decimalWire.openapi({ description: 'That usage times the unit cost of the metric.', example: 1.5 }),
});

const costDayWire = z.object({
  date: dateWire.openapi({ description: "A day in the customer's time zone." }),
  revenue: decimalWire.openapi({ description: 'Revenue of the day, without tax.', example: 5 }),
  cost: decimalWire.openapi({ description: 'Cost of the day: the sum over cost metrics.', example: 1.5 }),
  margin: decimalWire.openapi({ description: 'Revenue less cost.', example: 3.5 }),
  cost_data: z.array(costDatumWire).openapi({ description: 'The cost by metric.' }),
});

export const costAnalysisWire = z
  .object({
    customer_id: z.string().openapi({ description: 'The customer that was asked about.', example: 'acme' }),
    currency: currencyWire.openapi({ description: 'Currency of all amounts here: that of the customer.' }),
    start_date: dateWire.openapi({ description: 'First day, inclusive.', example: '2026-11-01' }),
    end_date: dateWire.openapi({ description: 'Last day, inclusive.', example: '2026-11-30' }),
    per_day: z.array(costDayWire).openapi({ description: 'Every day of the interval, in order.' }),
    total_revenue: decimalWire.openapi({ description: 'Revenue of all days.', example: 5 }),
    total_cost: decimalWire.openapi({ description: 'Cost of all days.', example: 1.5 }),
    total_margin: decimalWire.openapi({ description: 'Total revenue less total cost.', example: 3.5 }),
    profit_margin: decimalWire.openapi({
      description: 'Total margin divided by total revenue; 0 where that is 0.',
      example: 0.7,
    }),
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
