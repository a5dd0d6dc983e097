import { conflict, notFound } from '../../core/domain-error.ts';
import { listPlansUsingMetric, lockMetric, updateMetricArchived } from '../../sql/postgres/catalog/metrics.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { metricToWire } from '../../wire/metrics.ts';
import { changed } from '../audit/audited.ts';
import type { MetricRef } from '../references.ts';

/** Archives a metric. @throws DomainError `not_found`; `conflict` where it is archived already or a latest plan version uses it */
export async function archiveMetric(tx: Transaction, { accountId, metricId }: MetricRef) {
  const metric = await lockMetric(tx, accountId, metricId);
  if (!metric) throw notFound(`metric ${metricId}`);
  if (metric.status === 'archived') throw conflict(`The metric is archived already.`);
  const plans = await listPlansUsingMetric(tx, accountId, metricId);
  if (plans.length > 0) throw conflict(`The metric is active: ${plans.join(', ')} use it.`);
  await updateMetricArchived(tx, accountId, metricId);
  return changed(metricToWire(metric), metricToWire({ ...metric, status: 'archived' }));
}
