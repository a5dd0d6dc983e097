import type { AnswerOf } from '../api/client.ts';
import { signOf } from '../api/exact.ts';
import { Money, None, Quantity } from '../parts/numbers.tsx';

type Plan = AnswerOf<'/api/plans/{plan_id}'>;
type Component = Plan['components'][number];
/** What a component and a row of a price book have in common. */
type PriceFields = Pick<
  Component,
  'overage_price' | 'tiers' | 'package_size' | 'percentage' | 'fixed_amount' | 'per_event_minimum' | 'per_event_maximum'
>;

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
export function Price({ of: price, currency }: { of: PriceFields; currency: string }) {
  const { overage_price, tiers, package_size, percentage, fixed_amount } = price;
  if (percentage !== null) {
    const { per_event_minimum, per_event_maximum } = price;
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
