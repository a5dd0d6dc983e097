import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Region } from '../../parts/region.tsx';
import type { Plan } from './plan-columns.tsx';
import { PriceTable } from './price-table.tsx';

type Component = Plan['components'][number];

type PriceBookProps = { title: string; of: Component; currency: string; actions?: ReactNode };

/** What events cost by what they say of themselves; nothing for a component without a price book. */
export function PriceBook({ title, of: { group_by, prices, unmatched }, currency, actions }: PriceBookProps) {
  if (prices === null) return null;
  return (
    <Region title={title} actions={actions}>
      <PriceTable of={prices} currency={currency} groupBy={group_by ?? []} />
      {unmatched && (
        <Text size="sm" mt="xs">
          {UNMATCHED[unmatched]}
        </Text>
      )}
    </Region>
  );
}

/** What becomes of the events that no row is for. */
const UNMATCHED: Record<NonNullable<Component['unmatched']>, string> = {
  hold: 'Other events wait for a price.',
  price: "Other events have the component's own price.",
  ignore: 'Other events are not billed.',
};
