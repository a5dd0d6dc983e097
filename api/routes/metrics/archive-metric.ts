import { archiveMetric as archive } from '../../../services/catalog/archive-metric.ts';
import { metricPath, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const archiveMetric = operation({
  id: 'archiveMetric',
  method: 'post',
  path: '/api/metrics/{metric_id}/archive',
  tag: 'Metrics',
  summary: 'Archive a metric that no latest plan version uses',
  scope: 'write',
  audit: 'metric.archived',
  params: metricPath,
  success: 200,
  response: metricWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { metric_id: metricId }, write }) =>
    write((tx) => archive(tx, { accountId, metricId })),
});
