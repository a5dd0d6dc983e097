import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { PriceFrom, type PriceRow, Properties, textOfCombination } from '../../bills/price-row.tsx';
import { Price } from '../../bills/prices.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Quantity } from '../../parts/numbers.tsx';
import { wordsOf } from '../../parts/words.ts';

/** More rows than these are looked for rather than read. */
const SHOWN = 25;

type PriceTableProps = {
  of: readonly PriceRow[];
  currency: string;
  /** The properties, in the order in which they are shown. */
  groupBy: readonly string[];
};

/** The rows of a price book; of many those that are looked for. */
export function PriceTable({ of: prices, currency, groupBy }: PriceTableProps) {
  const [sought, seek] = useState('');
  const columns: Column<PriceRow>[] = [
    { header: 'Events with', cell: ({ when }) => <Properties of={inOrder(when, groupBy)} /> },
    { header: 'From', cell: ({ from }) => <PriceFrom of={from} /> },
    { header: 'Pricing model', cell: ({ pricing_model }) => pricing_model && wordsOf(pricing_model) },
    { header: 'Price', cell: (row) => <Price of={row} currency={currency} /> },
    { header: 'Free tier', cell: ({ free_tier }) => <Quantity value={free_tier} />, isNumber: true },
  ];
  const words = sought.toLowerCase().split(/\s+/);
  const found = prices.filter((row) => words.every((word) => textOfRow(row).includes(word)));
  return (
    <>
      {prices.length > SHOWN && (
        <TextInput
          label="Search prices"
          size="xs"
          maw={280}
          mb="sm"
          value={sought}
          onChange={(event) => seek(event.currentTarget.value)}
        />
      )}
      <DataTable
        columns={columns}
        rows={found.slice(0, SHOWN)}
        rowKey={({ price_id }) => price_id}
        empty="No prices match"
      />
      {prices.length > SHOWN && (
        <Text size="sm" mt="xs" role="status">
          {found.length < prices.length
            ? `${found.length} of ${prices.length} prices match`
            : `${prices.length} prices`}
          {found.length > SHOWN && `; the first ${SHOWN} are shown`}
        </Text>
      )}
    </>
  );
}

function inOrder(when: PriceRow['when'], groupBy: readonly string[]): PriceRow['when'] {
  const named = groupBy.filter((name) => Object.hasOwn(when, name));
  return Object.fromEntries(named.map((name) => [name, when[name] ?? null]));
}

function textOfRow({ when, from }: PriceRow): string {
  return `${textOfCombination(when)} ${from ?? 'always'}`.toLowerCase();
}
