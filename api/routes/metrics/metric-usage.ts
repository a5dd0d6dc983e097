import type { z } from '@hono/zod-openapi';
import type { Granularity } from '../../../billing/buckets.ts';
import { invalid, notFound } from '../../../billing/domain-error.ts';
import type { Instant } from '../../../billing/instants.ts';
import { findCustomer } from '../../../sql/customers.ts';
import { listMetricUsage } from '../../../sql/metric-usage.ts';
import { findMetric } from '../../../sql/metrics.ts';
import type { Transaction } from '../../../sql/postgres.ts';
import { END_BEFORE_START, metricUsageQuery, metricUsageToWire, metricUsageWire } from '../../../wire/metric-usage.ts';
import { metricPath } from '../../../wire/metrics.ts';
import { instantOfMoment } from '../../../wire/moments.ts';
import { operation } from '../../operation.ts';
import { askBesideBooks, type Subject, type SubjectIds } from '../../remembered-subjects.ts';

/** Buckets of one answer at most: eleven years of hours, a few megabytes. */
const MAX_BUCKETS = 100_000;
const SHORTEST_BUCKET_MS: Record<Granularity, number> = {
  total: Number.POSITIVE_INFINITY,
  day: 82_800_000,
  hour: 3_600_000,
};

export const metricUsage = operation({
  method: 'get',
  path: '/api/metrics/{metric_id}/usage',
  tag: 'Metrics',
  summary: "A metric's value for a customer, in all or by day, hour and property",
  description: 'start is inclusive, end exclusive; a date is the start of that day in the time zone of the customer.',
  scope: 'read',
  params: metricPath,
  query: metricUsageQuery,
  success: 200,
  response: metricUsageWire,
  errors: [503],
  run: async ({ caller: { accountId }, params, query, read }, dependencies) => {
    // Asked for before the usage store is: what has landed by now is in the answer, and maybe more.
    const askedAsOf = dependencies.progress.asOf();
    askedAsOf.catch(() => {}); // rejects where it is awaited
    const ids = { accountId, metricId: params.metric_id, customerId: query.customer_id };
    const usage = await askBesideBooks(dependencies.subjects, ids, {
      load: () => read((tx) => loadSubject(tx, ids)),
      ask: async (subject) => {
        const question = questionOf(ids, subject, query);
        return { ...question, results: await listMetricUsage(dependencies, question) };
      },
    });
    return metricUsageToWire({ ...ids, ...usage, asOf: await askedAsOf });
  },
});

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

function questionOf(
  { accountId, customerId }: SubjectIds,
  { metric, timeZone }: Subject,
  query: z.output<typeof metricUsageQuery>,
) {
  const { granularity, group_by: groupBy } = query;
  const [start, end] = [instantOfMoment(query.start, timeZone), instantOfMoment(query.end, timeZone)];
  checkInterval(start, end, granularity);
  return { accountId, customerId, metric, timeZone, start, end, granularity, ...(groupBy && { groupBy }) };
}

/** @throws DomainError `invalid` for an interval without time in it, or one of too many buckets. */
function checkInterval(start: Instant, end: Instant, granularity: Granularity) {
  if (start >= end) throw invalid({ end: [END_BEFORE_START] });
  if ((end - start) / SHORTEST_BUCKET_MS[granularity] > MAX_BUCKETS) {
    throw invalid({ granularity: [`The interval has more than ${MAX_BUCKETS} of them.`] });
  }
}
