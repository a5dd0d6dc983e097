import type { AnswerOf } from '../../api/client.ts';
import { Limits, Price } from '../../bills/prices.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { MetricLink, PlanLink } from '../../parts/links.tsx';
import { Money, None, Quantity } from '../../parts/numbers.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';

export type Plan = AnswerOf<'/api/plans/{plan_id}'>;
type Component = Plan['components'][number];

export const PLAN_COLUMNS: Column<Plan>[] = [
  { header: 'Plan', cell: ({ plan_id, name }) => <PlanLink id={plan_id}>{name}</PlanLink> },
  {
    header: 'Recurring fee',
    cell: ({ recurring_fee, currency }) => <Money value={recurring_fee} currency={currency} />,
    isNumber: true,
  },
  { header: 'Billing period', cell: ({ billing_period }) => wordsOf(billing_period) },
  { header: 'Charge timing', cell: ({ charge_timing }) => wordsOf(charge_timing) },
  { header: 'Version', cell: ({ version }) => version, isNumber: true },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];

export function componentColumns({ currency }: Plan): Column<Component>[] {
  return [
    { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
    {
      header: 'Pricing model',
      cell: ({ pricing_model }) => (pricing_model === null ? 'Price book' : wordsOf(pricing_model)),
    },
    { header: 'Free tier', cell: ({ free_tier }) => <Quantity value={free_tier} />, isNumber: true },
    { header: 'Price', cell: (component) => <Price of={component} currency={currency} /> },
    { header: 'Rounding', cell: ({ rounding }) => wordsOf(rounding) },
    { header: 'Prepaid units', cell: ({ prepaid_units }) => <Quantity value={prepaid_units} />, isNumber: true },
    { header: 'Limits', cell: (component) => <Limits of={component} currency={currency} /> },
  ];
}

export const FEATURE_COLUMNS: Column<Plan['features'][number]>[] = [
  { header: 'Feature', cell: ({ name }) => name },
  { header: 'Included', cell: ({ included }) => (included ? 'Yes' : 'No') },
  { header: 'Limit', cell: ({ limit }) => (limit === null ? <None /> : <Quantity value={limit} />), isNumber: true },
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
];
