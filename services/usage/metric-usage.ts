import { bucketsOf, type Granularity } from '../../billing/metering/buckets.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { listMetricGroups } from '../../sql/clickhouse/metrics/metric-groups.ts';
import { listMetricUsage, type UsageSource } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { findMetric } from '../../sql/postgres/catalog/metrics.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { inReading, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { END_BEFORE_START, type MetricUsage, type MetricUsageQuery } from '../../wire/metric-usage.ts';
import { instantOfMoment } from '../../wire/moments.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { askBesideRecords, type RememberedSubjects, type Subject, type SubjectIds } from './remembered-subjects.ts';

/** Rows of one answer at most, which hold up other callers while they are written: two years of hours, ten thousand groups. */
const MAX_ROWS = 20_000;
/** Groups told one by one where the caller does not say. */
const DEFAULT_GROUPS = 1_000;
const SHORTEST_BUCKET_MS: Record<Granularity, number> = {
  total: Number.POSITIVE_INFINITY,
  day: 82_800_000,
  hour: 3_600_000,
};

type Sources = UsageSource & Pick<ServiceDependencies, 'progress'> & { postgres: Pool; subjects: RememberedSubjects };

/**
 * A metric's value for a customer, in all or by bucket and group.
 * @throws DomainError `not_found`; `invalid` for an interval that is empty or of too many rows.
 */
export async function loadMetricUsage(
  sources: Sources,
  ids: SubjectIds,
  query: MetricUsageQuery,
): Promise<MetricUsage> {
  // Asked for before ClickHouse is: what has landed by now is in the answer, and maybe more.
  const askedAsOf = sources.progress.asOf();
  askedAsOf.catch(() => {}); // rejects where it is awaited
  const usage = await askBesideRecords(sources.subjects, ids, {
    load: () => inReading(sources.postgres, ids.accountId, (tx) => loadSubject(tx, ids)),
    ask: async (subject) => {
      const question = questionOf(ids, subject, query);
      return { ...question, results: await resultsOf(sources, question, query) };
    },
  });
  return { ...ids, ...usage, asOf: await askedAsOf };
}

/** @throws DomainError `not_found` for a metric or a customer that this account does not have. */
async function loadSubject(tx: Transaction, { accountId, metricId, customerId }: SubjectIds): Promise<Subject> {
  const [metric, customer] = await Promise.all([
    findMetric(tx, accountId, metricId),
    findCustomer(tx, accountId, customerId),
  ]);
  if (!metric) throw notFound(`metric ${metricId}`);
  if (!customer) throw notFound(`customer ${customerId}`);
  return { metric, timeZone: customer.timeZone };
}

function questionOf({ accountId, customerId }: SubjectIds, { metric, timeZone }: Subject, query: MetricUsageQuery) {
  const { granularity } = query;
  const [start, end] = [instantOfMoment(query.start, timeZone), instantOfMoment(query.end, timeZone)];
  checkInterval(start, end, granularity);
  return { accountId, customerId, metric, timeZone, start, end, granularity };
}

function resultsOf(
  source: UsageSource,
  question: ReturnType<typeof questionOf>,
  { group_by: groupBy, limit }: MetricUsageQuery,
) {
  if (groupBy === undefined) return listMetricUsage(source, question);
  return listMetricGroups(source.clickhouse, { ...question, groupBy, limit: groupsOf(question, limit) });
}

/** How many groups are told one by one. @throws DomainError `invalid` where the caller wants more than an answer holds. */
function groupsOf({ granularity, start, end, timeZone }: ReturnType<typeof questionOf>, limit: number | undefined) {
  const buckets = bucketsOf(granularity, start, end, timeZone).length;
  // Each bucket has a row for the other groups too.
  const most = Math.max(1, Math.floor(MAX_ROWS / buckets) - 1);
  if (limit === undefined) return Math.min(DEFAULT_GROUPS, most);
  if (limit <= most) return limit;
  const advice = `ask for at most ${most}, for a shorter interval or for longer buckets.`;
  throw invalid({ limit: [`An answer has at most ${MAX_ROWS} rows, and the interval ${buckets} buckets: ${advice}`] });
}

/** @throws DomainError `invalid` for an interval without time in it, or one of too many buckets. */
function checkInterval(start: Instant, end: Instant, granularity: Granularity) {
  if (start >= end) throw invalid({ end: [END_BEFORE_START] });
  if ((end - start) / SHORTEST_BUCKET_MS[granularity] > MAX_ROWS) {
    const advice = 'ask for a shorter interval or for longer buckets.';
    throw invalid({ granularity: [`The interval has more than ${MAX_ROWS} of them: ${advice}`] });
  }
}
