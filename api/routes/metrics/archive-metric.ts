import { conflict, notFound } from '../../../core/domain-error.ts';
import { listPlansUsingMetric, lockMetric, updateMetricArchived } from '../../../sql/postgres/catalog/metrics.ts';
import { metricPath, metricToWire, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const archiveMetric = operation({
  id: 'archiveMetric',
  method: 'post',
  path: '/api/metrics/{metric_id}/archive',
  tag: 'Metrics',
  summary: 'Archive a metric that no latest plan version uses',
  scope: 'write',
  params: metricPath,
  success: 200,
  response: metricWire,
  errors: [409],
  run: ({ caller, params, write }) =>
    write(async (tx) => {
      const metric = await lockMetric(tx, caller.accountId, params.metric_id);
      if (!metric) throw notFound(`metric ${params.metric_id}`);
      if (metric.status === 'archived') throw conflict(`The metric is archived already.`);
      const plans = await listPlansUsingMetric(tx, caller.accountId, metric.metricId);
      if (plans.length > 0) throw conflict(`The metric is active: ${plans.join(', ')} use it.`);
      await updateMetricArchived(tx, caller.accountId, metric.metricId);
      return metricToWire({ ...metric, status: 'archived' });
    }),
});
