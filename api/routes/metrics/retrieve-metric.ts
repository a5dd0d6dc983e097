import { notFound } from '../../../core/domain-error.ts';
import { findMetric } from '../../../sql/postgres/catalog/metrics.ts';
import { metricPath, metricToWire, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const retrieveMetric = operation({
  id: 'retrieveMetric',
  method: 'get',
  path: '/api/metrics/{metric_id}',
  tag: 'Metrics',
  summary: 'Retrieve a metric',
  scope: 'read',
  params: metricPath,
  success: 200,
  response: metricWire,
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const metric = await findMetric(tx, caller.accountId, params.metric_id);
      if (!metric) throw notFound(`metric ${params.metric_id}`);
      return metricToWire(metric);
    }),
});
