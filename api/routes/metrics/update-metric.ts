import { notFound } from '../../../core/domain-error.ts';
import { lockMetric, updateMetricName } from '../../../sql/postgres/catalog/metrics.ts';
import { metricPath, metricToWire, metricUpdate, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const updateMetric = operation({
  id: 'updateMetric',
  method: 'patch',
  path: '/api/metrics/{metric_id}',
  tag: 'Metrics',
  summary: 'Rename a metric',
  scope: 'write',
  params: metricPath,
  body: metricUpdate,
  synonyms: { name: 'metric_name' },
  success: 200,
  response: metricWire,
  run: ({ caller, params, body, write }) =>
    write(async (tx) => {
      const metric = await lockMetric(tx, caller.accountId, params.metric_id);
      if (!metric) throw notFound(`metric ${params.metric_id}`);
      const metricName = body.metric_name ?? metric.metricName;
      await updateMetricName(tx, caller.accountId, metric.metricId, metricName);
      return metricToWire({ ...metric, metricName });
    }),
});
