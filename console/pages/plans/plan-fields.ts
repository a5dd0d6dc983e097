import type { Field } from '../../actions/action.ts';
import type { Plan } from './plan-columns.tsx';

export type PricingModel = Plan['components'][number]['pricing_model'];
type Options = { value: string; label: string }[];

const MODELS: readonly PricingModel[] = ['per_unit', 'tiered', 'volume', 'package'];
const ROUNDINGS = ['round_down', 'round_up', 'round_nearest', 'no_rounding'];
const TIERS_HELP = 'Such as [{"up_to": 100, "unit_price": 0.1}, {"up_to": null, "unit_price": 0.05}]';

export const PLAN_FIELDS: readonly Field[] = [
  { name: 'name', isRequired: true },
  { name: 'recurring_fee', kind: 'number' },
  { name: 'billing_period', kind: 'choice', options: ['monthly', 'quarterly', 'annual'], isRequired: true },
  { name: 'charge_timing', kind: 'choice', options: ['in_arrears', 'in_advance'] },
  { name: 'currency', help: "The account's own, where it is empty." },
];

/** The fields of a plan's component at `index`, by its pricing model. */
export function componentFields(index: number, model: PricingModel, metrics: Options): Field[] {
  const fields: Field[] = [
    { name: 'metric_id', kind: 'choice', options: metrics, isRequired: true },
    { name: 'pricing_model', kind: 'choice', options: MODELS, initial: 'per_unit' },
    { name: 'free_tier', kind: 'number' },
    ...priceFields(model),
    { name: 'rounding', kind: 'choice', options: ROUNDINGS },
    { name: 'prepaid_units', kind: 'number' },
  ];
  return within(`components.${index}`, fields);
}

function priceFields(model: PricingModel): Field[] {
  if (model === 'tiered' || model === 'volume') return [{ name: 'tiers', kind: 'json', help: TIERS_HELP }];
  const price: Field = { name: 'overage_price', kind: 'number' };
  return model === 'package' ? [price, { name: 'package_size', kind: 'number' }] : [price];
}

export function featureFields(index: number, metrics: Options): Field[] {
  return within(`features.${index}`, [
    { name: 'name', isRequired: true },
    { name: 'included', kind: 'yes_no', initial: 'true' },
    { name: 'metric_id', kind: 'choice', options: metrics },
    { name: 'limit', kind: 'number' },
  ]);
}

function within(part: string, fields: Field[]): Field[] {
  return fields.map((field) => ({ ...field, name: `${part}.${field.name}` }));
}
