import { refusedBy } from '../../billing/metering/aggregate.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { ClickHouseReader } from '../../sql/clickhouse/clickhouse.ts';
import { previewMetric as preview } from '../../sql/clickhouse/metrics/metric-preview.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import type { MetricPreviewBody, PreviewedMetric } from '../../wire/catalog/metric-previews.ts';
import { END_BEFORE_START } from '../../wire/metric-usage.ts';
import { instantOfMoment } from '../../wire/moments.ts';
import { ruleOf } from '../catalog/create-metric.ts';

/** Events of either kind that are shown. */
const NEWEST = 20;
/** What is looked at where nothing is said. */
const DEFAULT_SPAN_MS = 30 * 86_400_000;

/**
 * What a metric would count, before it is made (spec/metrics#preview).
 * @throws DomainError `not_found` for an unknown customer; `invalid` for an empty interval
 */
export async function previewMetric(
  { postgres, clickhouse }: { postgres: Pool; clickhouse: ClickHouseReader },
  accountId: string,
  { customer_id: customerId, start, end, ...wanted }: MetricPreviewBody,
  now: Instant,
): Promise<PreviewedMetric> {
  const customer =
    customerId === undefined
      ? undefined
      : await inReading(postgres, accountId, (tx) => findCustomer(tx, accountId, customerId));
  if (customerId !== undefined && !customer) throw notFound(`customer ${customerId}`);
  const timeZone = customer?.timeZone ?? 'UTC';
  const until = end === undefined ? (customer?.clockTime ?? now) : instantOfMoment(end, timeZone);
  const since = start === undefined ? until - DEFAULT_SPAN_MS : instantOfMoment(start, timeZone);
  if (since >= until) throw invalid({ end: [END_BEFORE_START] });
  const rule = ruleOf(wanted);
  const question = { accountId, customerId, rule, timeZone, start: since, end: until };
  const { refused, ...answer } = await preview(clickhouse, question, NEWEST);
  const excluded = refused.map((event) => {
    const because = refusedBy(rule, event, timeZone);
    if (because === null) throw new Error(`event ${event.idempotencyId} counts for ClickHouse's answer only`);
    return { event, because };
  });
  return { ...answer, excluded };
}
