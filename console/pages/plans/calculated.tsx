import { Stack, Text } from '@mantine/core';
import type { PostAnswerOf } from '../../api/client.ts';
import { PriceFrom, Properties } from '../../bills/price-row.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { Money, None, Quantity } from '../../parts/numbers.tsx';
import { wordsOf } from '../../parts/words.ts';

type PlanPreview = PostAnswerOf<'/api/plans/preview'>;
type Line = PlanPreview['lines'][number];
/** Without a subtotal: of some of the lines. */
type Shown = Omit<PlanPreview, 'subtotal'> & { subtotal: PlanPreview['subtotal'] | null };

/** The lines that a plan would bill, with the rows of price books that price them; what none prices; what counts an event. */
export function Calculated({ of: { currency, lines, subtotal, unpriced, metrics } }: { of: Shown }) {
  return (
    <Stack aria-live="polite" gap="sm">
      {metrics && (
        <DataTable
          columns={COUNTS}
          rows={metrics}
          rowKey={({ metric_id }) => metric_id}
          empty="The plan bills no metric"
        />
      )}
      <DataTable
        columns={linesOf(currency, lines)}
        rows={lines}
        rowKey={(line) => String(lines.indexOf(line))}
        empty="Nothing would be billed"
      />
      {subtotal !== null && (
        <Text ta="right" fw={600} size="sm">
          Subtotal <Money value={subtotal} currency={currency} />
        </Text>
      )}
      {unpriced.length > 0 && (
        <DataTable columns={UNPRICED} rows={unpriced} rowKey={(one) => String(unpriced.indexOf(one))} empty="" />
      )}
    </Stack>
  );
}

function linesOf(currency: string, lines: readonly Line[]): Column<Line>[] {
  const row: Column<Line> = {
    header: 'Price row',
    cell: ({ price, group }) =>
      price ? (
        <>
          <Properties of={price.when} />
          {price.from && (
            <div>
              from <PriceFrom of={price.from} />
            </div>
          )}
        </>
      ) : (
        (group && "The component's own price") || <None />
      ),
  };
  return [
    { header: 'Description', cell: ({ description }) => description },
    { header: 'Quantity', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
    ...(lines.some(({ group }) => group) ? [row] : []),
    {
      header: 'How',
      cell: ({ steps }) =>
        steps.map(({ step, text, value }) => (
          <div key={`${step} ${text}`}>
            {text}: <Quantity value={value} />
          </div>
        )),
    },
    { header: 'Amount', cell: ({ amount }) => <Money value={amount} currency={currency} />, isNumber: true },
  ];
}

const UNPRICED: Column<PlanPreview['unpriced'][number]>[] = [
  { header: 'Without a price', cell: ({ group }) => <Properties of={group} any="All of it" /> },
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
  { header: 'Quantity', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
  {
    header: 'What becomes of it',
    cell: ({ unmatched }) => (unmatched === 'hold' ? 'It waits for a price' : 'It is not billed'),
  },
];

const COUNTS: Column<NonNullable<PlanPreview['metrics']>[number]>[] = [
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
  { header: 'Counts it', cell: ({ counts }) => (counts ? 'Yes' : 'No') },
  { header: 'Because', cell: ({ because }) => (because ? wordsOf(because) : <None />) },
];
