import { createMetric as create } from '../../../services/catalog/create-metric.ts';
import { METRIC_SYNONYMS, metricCreate, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const createMetric = operation({
  id: 'createMetric',
  method: 'post',
  path: '/api/metrics',
  tag: 'Metrics',
  summary: 'Create a metric',
  description:
    'It counts events, or the sum, maximum or distinct values of a property, of those that its filters let through.',
  scope: 'write',
  audit: 'metric.created',
  body: metricCreate,
  synonyms: METRIC_SYNONYMS,
  success: 201,
  response: metricWire,
  run: ({ caller, body, now, write }) => write((tx) => create(tx, caller.accountId, body, now)),
});
