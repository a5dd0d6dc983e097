import { renameMetric } from '../../../services/catalog/rename-metric.ts';
import { metricPath, metricUpdate, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const updateMetric = operation({
  id: 'updateMetric',
  method: 'patch',
  path: '/api/metrics/{metric_id}',
  tag: 'Metrics',
  summary: 'Rename a metric',
  scope: 'write',
  audit: 'metric.updated',
  params: metricPath,
  body: metricUpdate,
  synonyms: { name: 'metric_name' },
  success: 200,
  response: metricWire,
  run: ({ caller: { accountId }, params: { metric_id: metricId }, body, write }) =>
    write((tx) => renameMetric(tx, { accountId, metricId }, body.metric_name)),
});
