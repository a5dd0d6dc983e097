import type { Action } from '../../actions/action.ts';
import type { Field } from '../../actions/field.ts';
import type { AnswerOf } from '../../api/client.ts';

export type Metric = AnswerOf<'/api/metrics/{metric_id}'>;

const NUMERIC = [
  { value: 'gt', label: 'Greater than' },
  { value: 'gte', label: 'At least' },
  { value: 'lt', label: 'Less than' },
  { value: 'lte', label: 'At most' },
  { value: 'eq', label: 'Equal to' },
];
const CATEGORICAL = [
  { value: 'isin', label: 'One of' },
  { value: 'isnotin', label: 'None of' },
];

/** What must hold of an event's properties for it to be counted. */
const FILTERS: readonly Field[] = [
  {
    name: 'numeric_filters',
    kind: 'list',
    rowName: 'numeric filter',
    row: () => [
      { name: 'property_name', isRequired: true },
      { name: 'operator', kind: 'choice', options: NUMERIC, isRequired: true },
      { name: 'comparison_value', kind: 'number', isRequired: true },
    ],
  },
  {
    name: 'categorical_filters',
    kind: 'list',
    rowName: 'categorical filter',
    row: () => [
      { name: 'property_name', isRequired: true },
      { name: 'operator', kind: 'choice', options: CATEGORICAL, isRequired: true },
      { name: 'comparison_value', kind: 'texts', isRequired: true, help: 'Enter after each of them.' },
    ],
  },
];

export const NEW_METRIC: Action = {
  name: 'New metric',
  call: { method: 'post', to: '/api/metrics' },
  fields: [
    { name: 'metric_name', isRequired: true },
    { name: 'aggregation_type', kind: 'choice', options: ['count', 'sum', 'max', 'unique'], isRequired: true },
    { name: 'event_name', help: 'Events of every name, where it is empty.' },
    { name: 'property_name', help: 'What is summed, compared or told apart.' },
    ...FILTERS,
    {
      name: 'time_filter.days_of_week',
      kind: 'numbers',
      help: 'Such as 1, 2, 3, 4, 5: Monday is 1. All, where it is empty.',
    },
    { name: 'time_filter.hours.from', kind: 'number', help: 'The first hour of the day that counts.' },
    { name: 'time_filter.hours.to', kind: 'number', help: 'The hour from which on it does not.' },
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
