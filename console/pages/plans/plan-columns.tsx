import type { AnswerOf } from '../../api/client.ts';
import { signOf } from '../../api/exact.ts';
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

/** What is charged at least and at most. */
export function Limits({ of, currency }: { of: Pick<Plan, 'minimum_amount' | 'maximum_amount'>; currency: string }) {
  const { minimum_amount, maximum_amount } = of;
  if (minimum_amount === null && maximum_amount === null) return <None />;
  return (
    <>
      <Bound words="At least" value={minimum_amount} currency={currency} />
      <Bound words="At most" value={maximum_amount} currency={currency} />
    </>
  );
}

type BoundProps = { words: string; value: Plan['minimum_amount']; currency: string };

function Bound({ words, value, currency }: BoundProps) {
  return (
    value !== null && (
      <div>
        {words} <Money value={value} currency={currency} />
      </div>
    )
  );
}

/** What a unit costs in each band of quantity. */
export function Tiers({ of: tiers, currency }: { of: NonNullable<Component['tiers']>; currency: string }) {
  return tiers.map(({ up_to, unit_price, flat_fee }) => (
    <div key={String(up_to)}>
      {up_to === null ? (
        'Beyond'
      ) : (
        <>
          Up to <Quantity value={up_to} />
        </>
      )}
      : <Money value={unit_price} currency={currency} />
      {signOf(flat_fee) !== 0 && (
        <>
          {' '}
          and <Money value={flat_fee} currency={currency} />
        </>
      )}
    </div>
  ));
}

/** What units cost, each, by the package or by tier; or each event by its value. */
function Price({ of: component, currency }: { of: Component; currency: string }) {
  const { overage_price, tiers, package_size, percentage, fixed_amount } = component;
  if (percentage !== null) {
    const { per_event_minimum, per_event_maximum } = component;
    return (
      <>
        <Quantity value={percentage} /> %
        {fixed_amount !== null && signOf(fixed_amount) !== 0 && (
          <>
            {' '}
            and <Money value={fixed_amount} currency={currency} />
          </>
        )}{' '}
        of each event
        <Bound words="Each at least" value={per_event_minimum} currency={currency} />
        <Bound words="Each at most" value={per_event_maximum} currency={currency} />
      </>
    );
  }
  if (tiers) return <Tiers of={tiers} currency={currency} />;
  return (
    <>
      <Money value={overage_price} currency={currency} />
      {package_size !== null && (
        <>
          {' '}
          for <Quantity value={package_size} />
        </>
      )}
    </>
  );
}

export const FEATURE_COLUMNS: Column<Plan['features'][number]>[] = [
  { header: 'Feature', cell: ({ name }) => name },
  { header: 'Included', cell: ({ included }) => (included ? 'Yes' : 'No') },
  { header: 'Limit', cell: ({ limit }) => (limit === null ? <None /> : <Quantity value={limit} />), isNumber: true },
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
];
