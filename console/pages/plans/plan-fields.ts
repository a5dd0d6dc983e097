import { type Entries, entriesOf } from '../../actions/entries.ts';
import type { Field, ListField, ValueField } from '../../actions/field.ts';
import type { Plan } from './plan-columns.tsx';

/** Metrics to choose from, by id. */
export type MetricOptions = readonly { value: string; label: string }[];

const MODELS = [
  'per_unit',
  'tiered',
  'volume',
  'package',
] as const satisfies readonly Plan['components'][number]['pricing_model'][];
const ROUNDINGS = ['round_down', 'round_up', 'round_nearest', 'no_rounding'];

const TIMING: ValueField = { name: 'charge_timing', kind: 'choice', options: ['in_arrears', 'in_advance'] };

export const PLAN_FIELDS: readonly Field[] = [
  { name: 'name', isRequired: true },
  { name: 'recurring_fee', kind: 'number' },
  { name: 'billing_period', kind: 'choice', options: ['monthly', 'quarterly', 'annual'], isRequired: true },
  { name: 'usage_period', kind: 'choice', options: ['billing_period', 'monthly'] },
  { name: 'billing_calendar', kind: 'choice', options: ['fixed_days', 'anniversary', 'calendar'] },
  {
    name: 'anchor_day',
    kind: 'number',
    help: 'Only by calendar: the day of the month on which periods start, 1 where it is empty.',
  },
  TIMING,
  { name: 'currency', help: "The account's own, where it is empty." },
];

/** What units cost, and what is included. */
export function priceFields(metrics: MetricOptions): readonly ListField[] {
  return [
    { name: 'components', kind: 'list', rowName: 'component', row: (entered) => componentFields(entered, metrics) },
    {
      name: 'features',
      kind: 'list',
      rowName: 'feature',
      row: () => [
        { name: 'name', isRequired: true },
        { name: 'metric_id', kind: 'choice', options: metrics },
        { name: 'limit', kind: 'number' },
        { name: 'included', kind: 'yes_no', initial: 'true' },
      ],
    },
  ];
}

/** Which fields a component has follows from its pricing model. */
function componentFields(entered: (name: string) => string, metrics: MetricOptions): Field[] {
  return [
    { name: 'metric_id', kind: 'choice', options: metrics, isRequired: true },
    { name: 'pricing_model', kind: 'choice', options: MODELS, initial: 'per_unit' },
    { name: 'free_tier', kind: 'number' },
    ...modelFields(entered('pricing_model')),
    { name: 'rounding', kind: 'choice', options: ROUNDINGS },
    { name: 'prepaid_units', kind: 'number' },
  ];
}

const TIERS: ListField = {
  name: 'tiers',
  kind: 'list',
  rowName: 'tier',
  row: () => [
    { name: 'up_to', kind: 'number', isNullable: true, placeholder: 'No end' },
    { name: 'unit_price', kind: 'number', isRequired: true },
    { name: 'flat_fee', kind: 'number' },
  ],
};

function modelFields(model: string): Field[] {
  if (model === 'tiered' || model === 'volume') return [TIERS];
  const price: Field = { name: 'overage_price', kind: 'number' };
  return model === 'package' ? [price, { name: 'package_size', kind: 'number' }] : [price];
}

/** The fields of a plan's next version, and what stands in them at first. */
export function nextVersion(plan: Plan, metrics: MetricOptions): { fields: Field[]; entered: Entries } {
  const { name, recurring_fee, charge_timing, components, features } = plan;
  return {
    fields: [
      { name: 'name', initial: name },
      { name: 'recurring_fee', kind: 'number', initial: String(recurring_fee) },
      { ...TIMING, isRequired: true, initial: charge_timing },
      ...priceFields(metrics),
    ],
    entered: { ...entriesOf('components', components), ...entriesOf('features', features) },
  };
}
