import { analyseCosts as analyse } from '../../billing/invoices/cost-analysis.ts';
import { currencyOf } from '../../core/currencies.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import { addDays, daysBetween, type Instant, localDateAt, startOfLocalDay } from '../../core/instants.ts';
import { listMetricUsages } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { listCostMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { inReading } from '../../sql/postgres/postgres.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { type CostAnalysisQuery, costAnalysisToWire, daysAsked } from '../../wire/cost-analysis.ts';
import type { InvoiceSources } from '../invoices/load-invoice-inputs.ts';
import { loadRevenues } from '../invoices/load-revenues.ts';
import type { CustomerRef } from '../references.ts';

/** Costs in an answer at most, a metric and day each: a year of 136 metrics, a few megabytes. */
const MAX_COSTS = 50_000;

/**
 * A customer's revenue, cost and margin by day (spec/cost-analysis), as the API answers it.
 * @throws DomainError `not_found`; `invalid` for more days than an answer holds.
 */
export async function analyseCosts(
  sources: InvoiceSources & { progress: Pick<UsageProgress, 'landedPosition'> },
  { accountId, customerId }: CustomerRef,
  query: CostAnalysisQuery,
  now: Instant,
) {
  const { customer, account, metrics } = await inReading(sources.postgres, accountId, async (tx) => {
    const found = await findCustomer(tx, accountId, customerId);
    if (!found) throw notFound(`customer ${customerId}`);
    const metrics = await listCostMetrics(tx, accountId);
    return { customer: found, account: await loadAccount(tx, accountId), metrics };
  });
  const { currency, timeZone } = customer;
  const at = customer.clockTime ?? now;
  const asked = daysAsked(query, localDateAt(at, timeZone));
  checkSize(metrics.length, daysBetween(asked.startDate, asked.endDate) + 1);
  const start = startOfLocalDay(asked.startDate, timeZone);
  const end = startOfLocalDay(addDays(asked.endDate, 1), timeZone);
  // One place in the stream for all questions: their answers add up whatever lands meanwhile.
  const upTo = await sources.progress.landedPosition();
  const scope = { accountId, customerId, timeZone, start, end, upTo };
  const questions = metrics.map((metric) => ({ ...scope, metric, granularity: 'day' as const }));
  const [revenues, days] = await Promise.all([
    loadRevenues(sources, { account, customer, span: { ...asked, start, end }, at, upTo }),
    listMetricUsages(sources, questions),
  ]);
  const costMetrics = metrics.map(({ metricId, metricName, unitCost }, i) => {
    const usage = new Map(days[i]?.map(({ startsAt, value }) => [localDateAt(startsAt, timeZone), value]));
    return { metricId, metricName, unitCost, usage };
  });
  const analysis = analyse({ ...asked, places: currencyOf(currency).exponent, revenues, costMetrics });
  return costAnalysisToWire(analysis, { customerId, currency, ...asked });
}

/** @throws DomainError `invalid` for more days than an answer about so many metrics holds. */
function checkSize(metrics: number, days: number): void {
  if (metrics * days <= MAX_COSTS) return;
  const most = Math.floor(MAX_COSTS / metrics);
  throw invalid({ start_date: [`Of ${metrics} cost metrics an answer holds at most ${most} days, not ${days}.`] });
}
