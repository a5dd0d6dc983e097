import { analyseCosts } from '../../../billing/invoices/cost-analysis.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { invalid, notFound } from '../../../core/domain-error.ts';
import { addDays, daysBetween, localDateAt, startOfLocalDay } from '../../../core/instants.ts';
import { loadRevenues } from '../../../services/invoices/load-revenues.ts';
import { listMetricUsages } from '../../../sql/clickhouse/metrics/metric-usage.ts';
import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { listCostMetrics } from '../../../sql/postgres/catalog/metrics.ts';
import { findCustomer } from '../../../sql/postgres/customers/customers.ts';
import { costAnalysisQuery, costAnalysisToWire, costAnalysisWire, daysAsked } from '../../../wire/cost-analysis.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

/** Costs in an answer at most, a metric and day each: a year of 136 metrics, a few megabytes. */
const MAX_COSTS = 50_000;

export const costAnalysis = operation({
  id: 'retrieveCostAnalysis',
  method: 'get',
  path: '/api/customers/{customer_id}/cost_analysis/',
  tag: 'Customers',
  summary: "A customer's revenue, cost and margin by day",
  description:
    "Days are the customer's, end_date is inclusive, 366 days at most; without dates the last 30 days. Revenue is without tax: fees and prepaid units evenly over their period, usage on the days that caused it, one-time charges on their day; what is not billed yet as the draft invoice has it. Over whole periods it adds up to the invoices' subtotals.",
  scope: 'read',
  params: customerPath,
  query: costAnalysisQuery,
  success: 200,
  response: costAnalysisWire,
  run: async ({ caller: { accountId }, params, query, now, read }, dependencies) => {
    const { customer, account, metrics } = await read(async (tx) => {
      const found = await findCustomer(tx, accountId, params.customer_id);
      if (!found) throw notFound(`customer ${params.customer_id}`);
      const metrics = await listCostMetrics(tx, accountId);
      return { customer: found, account: await loadAccount(tx, accountId), metrics };
    });
    const { customerId, currency, timeZone } = customer;
    const at = customer.clockTime ?? now;
    const asked = daysAsked(query, localDateAt(at, timeZone));
    checkSize(metrics.length, daysBetween(asked.startDate, asked.endDate) + 1);
    const start = startOfLocalDay(asked.startDate, timeZone);
    const end = startOfLocalDay(addDays(asked.endDate, 1), timeZone);
    // One place in the stream for all questions: their answers add up whatever lands meanwhile.
    const upTo = await dependencies.progress.landedPosition();
    const scope = { accountId, customerId, timeZone, start, end, upTo };
    const revenues = await loadRevenues(dependencies, { account, customer, span: { ...asked, start, end }, at, upTo });
    const questions = metrics.map((metric) => ({ ...scope, metric, granularity: 'day' as const }));
    const days = await listMetricUsages(dependencies, questions);
    const costMetrics = metrics.map(({ metricId, metricName, unitCost }, i) => {
      const usage = new Map(days[i]?.map(({ startsAt, value }) => [localDateAt(startsAt, timeZone), value]));
      return { metricId, metricName, unitCost, usage };
    });
    const analysis = analyseCosts({ ...asked, places: currencyOf(currency).exponent, revenues, costMetrics });
    return costAnalysisToWire(analysis, { customerId, currency, ...asked });
  },
});

/** @throws DomainError `invalid` for more days than an answer about so many metrics holds. */
function checkSize(metrics: number, days: number): void {
  if (metrics * days <= MAX_COSTS) return;
  const most = Math.floor(MAX_COSTS / metrics);
  throw invalid({ start_date: [`Of ${metrics} cost metrics an answer holds at most ${most} days, not ${days}.`] });
}
