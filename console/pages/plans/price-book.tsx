import { Text } from '@mantine/core';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { wordsOf } from '../../parts/words.ts';
import type { Plan } from './plan-columns.tsx';
import { Price } from './prices.tsx';

type Component = Plan['components'][number];
type Row = NonNullable<Component['prices']>[number];

type PriceBookProps = { title: string; of: Component; currency: string };

/** What events cost by what they say of themselves; nothing for a component without a price book. */
export function PriceBook({ title, of: { prices, unmatched }, currency }: PriceBookProps) {
  if (prices === null) return null;
  const columns: Column<Row>[] = [
    { header: 'When', cell: ({ when }) => <When of={when} /> },
    { header: 'From', cell: ({ from }) => from ?? 'Always' },
    { header: 'Pricing model', cell: ({ pricing_model }) => pricing_model && wordsOf(pricing_model) },
    { header: 'Price', cell: (row) => <Price of={row} currency={currency} /> },
    { header: 'Free tier', cell: ({ free_tier }) => <Quantity value={free_tier} />, isNumber: true },
  ];
  return (
    <Region title={title}>
      <DataTable columns={columns} rows={prices} rowKey={({ price_id }) => price_id} empty="No prices" />
      {unmatched && <Text size="sm">{UNMATCHED[unmatched]}</Text>}
    </Region>
  );
}

/** What becomes of the events that no row is for. */
const UNMATCHED: Record<NonNullable<Component['unmatched']>, string> = {
  hold: 'Other events wait for a price.',
  price: "Other events have the component's own price.",
  ignore: 'Other events are not billed.',
};

function When({ of: when }: { of: Row['when'] }) {
  const named = Object.entries(when);
  if (named.length === 0) return 'Any event';
  return named.map(([property, text]) => (
    <div key={property}>
      {property}: {text ?? 'none'}
    </div>
  ));
}
