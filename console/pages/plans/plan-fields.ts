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
  'percentage',
] as const satisfies readonly Plan['components'][number]['pricing_model'][];
const ROUNDINGS = ['round_down', 'round_up', 'round_nearest', 'no_rounding'];

const TIMING: ValueField = { name: 'charge_timing', kind: 'choice', options: ['in_arrears', 'in_advance'] };

/** What is charged at least and at most, of a component or of the whole plan. */
const MINIMUM: ValueField = { name: 'minimum_amount', kind: 'number', isNullable: true, placeholder: 'None' };
const MAXIMUM: ValueField = { name: 'maximum_amount', kind: 'number', isNullable: true, placeholder: 'None' };

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
  { name: 'trial_days', kind: 'number', placeholder: 'None' },
  { name: 'bill_usage_in_trial', kind: 'yes_no' },
  MINIMUM,
  MAXIMUM,
];

/** What units cost, what is included, and what all of it costs in further currencies. */
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
    currencyFields(metrics),
  ];
}

/** Which fields a component has follows from its pricing model. */
function componentFields(entered: (name: string) => string, metrics: MetricOptions): Field[] {
  const model = entered('pricing_model');
  const ownPrice = model === 'percentage' ? PER_EVENT : quantityFields(model);
  return [
    { name: 'metric_id', kind: 'choice', options: metrics, isRequired: true },
    GROUP_BY,
    ...(entered('group_by') === '' ? [MODEL, ...ownPrice] : bookFields(entered)),
    MINIMUM,
    MAXIMUM,
  ];
}

const MODEL: ValueField = { name: 'pricing_model', kind: 'choice', options: MODELS, initial: 'per_unit' };
const ROUNDING: ValueField = { name: 'rounding', kind: 'choice', options: ROUNDINGS };
const GROUP_BY: ValueField = {
  name: 'group_by',
  kind: 'texts',
  help: 'Properties of events that have prices of their own; none: one price for all.',
  placeholder: 'model',
};

/** A price book: its rows, and what becomes of other events, which may have a price of the component's own. */
function bookFields(entered: (name: string) => string): Field[] {
  const model = entered('pricing_model');
  const own = model === 'percentage' ? PER_EVENT : modelFields(model);
  return [
    { name: 'unmatched', kind: 'choice', options: ['hold', 'price', 'ignore'], initial: 'hold' },
    ROUNDING,
    ...(entered('unmatched') === 'price' ? [MODEL, ...own] : []),
    PRICES,
  ];
}

/** What each event of a sum costs by itself. */
const PER_EVENT: readonly ValueField[] = [
  { name: 'percentage', kind: 'number', isRequired: true },
  { name: 'fixed_amount', kind: 'number' },
  { name: 'per_event_minimum', kind: 'number', isNullable: true, placeholder: 'None' },
  { name: 'per_event_maximum', kind: 'number', isNullable: true, placeholder: 'None' },
];

function quantityFields(model: string): Field[] {
  return [FREE_TIER, ...modelFields(model), ROUNDING, { name: 'prepaid_units', kind: 'number' }];
}

/** What a row of a price book says. */
export function priceRowFields(entered: (name: string) => string): Field[] {
  const model = entered('pricing_model');
  return [
    {
      name: 'when',
      kind: 'pairs',
      help: 'Empty: every event. Nothing behind =: events without it.',
      placeholder: 'model=gpt-5',
    },
    { name: 'from', placeholder: 'Always', help: 'A date, or a date-time with its zone.' },
    MODEL,
    ...(model === 'percentage' ? PER_EVENT : [...modelFields(model), FREE_TIER]),
  ];
}

const FREE_TIER: ValueField = { name: 'free_tier', kind: 'number' };
const PRICES: ListField = { name: 'prices', kind: 'list', rowName: 'price', row: priceRowFields };

/** What is agreed on with one subscription instead of what its plan says: where a field is empty, that stays. */
export const OVERRIDE_FIELDS: readonly Field[] = [
  { name: 'overrides.recurring_fee', kind: 'number' },
  { name: 'overrides.minimum_amount', kind: 'number' },
  { name: 'overrides.maximum_amount', kind: 'number' },
  {
    name: 'overrides.components',
    kind: 'list',
    rowName: 'override',
    row: (entered) => overrideFields(entered, { name: 'metric_id', isRequired: true }),
  },
];

/** What a component costs instead. */
function overrideFields(entered: (name: string) => string, metric: ValueField): Field[] {
  const model = entered('pricing_model');
  return [
    metric,
    { name: 'pricing_model', kind: 'choice', options: MODELS, help: "The plan's, where it is empty." },
    ...(model === 'percentage' ? PER_EVENT : modelFields(model)),
    { name: 'minimum_amount', kind: 'number' },
    { name: 'maximum_amount', kind: 'number' },
    PRICES,
  ];
}

/** What a plan costs in further currencies: its fee, and each of its components. */
function currencyFields(metrics: MetricOptions): ListField {
  const metric: ValueField = { name: 'metric_id', kind: 'choice', options: metrics, isRequired: true };
  return {
    name: 'currency_options',
    kind: 'list',
    rowName: 'currency',
    keyedBy: 'currency',
    row: () => [
      { name: 'currency', isRequired: true, placeholder: 'eur' },
      { name: 'recurring_fee', kind: 'number' },
      { name: 'minimum_amount', kind: 'number' },
      { name: 'maximum_amount', kind: 'number' },
      { name: 'components', kind: 'list', rowName: 'component', row: (entered) => overrideFields(entered, metric) },
    ],
  };
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
  const { name, recurring_fee, charge_timing, components, features, minimum_amount, maximum_amount } = plan;
  const options = Object.entries(plan.currency_options ?? {}).map(([currency, option]) => ({ currency, ...option }));
  return {
    fields: [
      { name: 'name', initial: name },
      { name: 'recurring_fee', kind: 'number', initial: String(recurring_fee) },
      { ...TIMING, isRequired: true, initial: charge_timing },
      { ...MINIMUM, ...(minimum_amount !== null && { initial: String(minimum_amount) }) },
      { ...MAXIMUM, ...(maximum_amount !== null && { initial: String(maximum_amount) }) },
      ...priceFields(metrics),
    ],
    entered: {
      ...entriesOf('components', components),
      ...entriesOf('features', features),
      ...entriesOf('currency_options', options),
    },
  };
}
