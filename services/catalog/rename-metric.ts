import { notFound } from '../../core/domain-error.ts';
import { lockMetric, updateMetricName } from '../../sql/postgres/catalog/metrics.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { metricToWire } from '../../wire/metrics.ts';
import { changed } from '../audit/audited.ts';
import type { MetricRef } from '../references.ts';

/** Renames a metric, where a name is given. @throws DomainError `not_found` */
export async function renameMetric(tx: Transaction, { accountId, metricId }: MetricRef, name: string | undefined) {
  const metric = await lockMetric(tx, accountId, metricId);
  if (!metric) throw notFound(`metric ${metricId}`);
  const metricName = name ?? metric.metricName;
  await updateMetricName(tx, accountId, metricId, metricName);
  return changed(metricToWire(metric), metricToWire({ ...metric, metricName }));
}
