import { previewMetric as preview } from '../../../services/usage/preview-metric.ts';
import { metricPreview, metricPreviewToWire, metricPreviewWire } from '../../../wire/catalog/metric-previews.ts';
import { METRIC_SYNONYMS } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const previewMetric = operation({
  id: 'previewMetric',
  method: 'post',
  path: '/api/metrics/preview',
  tag: 'Metrics',
  summary: 'What a metric would count, tried on events that have landed, before it is made',
  description:
    'Over all customers unless one is named; then dates and the time filter are of its zone, else of UTC. Nothing is made.',
  scope: 'read',
  audit: null,
  body: metricPreview,
  synonyms: METRIC_SYNONYMS,
  success: 200,
  response: metricPreviewWire,
  errors: [404, 503],
  run: async ({ caller, body, now, keep }, dependencies) =>
    keep(metricPreviewToWire(await preview(dependencies, caller.accountId, body, now))),
});
