import type { Action } from '../../actions/action.ts';
import type { AnswerOf } from '../../api/client.ts';

export type Metric = AnswerOf<'/api/metrics/{metric_id}'>;

export const NEW_METRIC: Action = {
  name: 'New metric',
  call: { method: 'post', to: '/api/metrics' },
  fields: [
    { name: 'metric_name', isRequired: true },
    { name: 'aggregation_type', kind: 'choice', options: ['count', 'sum', 'max', 'unique'], isRequired: true },
    { name: 'event_name', help: 'Events of every name, where it is empty.' },
    { name: 'property_name', help: 'What is summed, compared or told apart.' },
    {
      name: 'numeric_filters',
      kind: 'json',
      help: 'Such as [{"property_name": "tokens", "operator": "gte", "comparison_value": 1}]',
    },
    {
      name: 'categorical_filters',
      kind: 'json',
      help: 'Such as [{"property_name": "region", "operator": "isin", "comparison_value": ["eu", "us"]}]',
    },
    { name: 'is_cost_metric', kind: 'yes_no' },
    { name: 'unit_cost', kind: 'number', help: 'What a unit costs you.' },
  ],
};

export function metricActions({ metric_id, metric_name, status }: Metric): Action[] {
  if (status !== 'active') return [];
  const path = { metric_id };
  return [
    {
      name: 'Edit',
      call: { method: 'patch', to: '/api/metrics/{metric_id}', path },
      fields: [{ name: 'metric_name', initial: metric_name }],
    },
    {
      name: 'Archive metric',
      about: 'No new plan can price it; plans that do go on.',
      call: { method: 'post', to: '/api/metrics/{metric_id}/archive', path },
      isFinal: true,
    },
  ];
}
