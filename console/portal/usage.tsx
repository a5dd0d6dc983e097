import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import type { BillLine } from '../bills/bill.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { dateIn } from '../parts/days.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Quantity } from '../parts/numbers.tsx';
import { Region } from '../parts/region.tsx';
import { Day, Zone } from '../parts/times.tsx';
import { ValuesByDay } from '../parts/values-by-day.tsx';
import { views } from './views.ts';

const LINES: Column<BillLine>[] = [
  { header: 'Usage', cell: ({ description }) => description },
  { header: 'Used', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
  { header: 'To be billed', cell: ({ billable_quantity }) => <Quantity value={billable_quantity} />, isNumber: true },
  { header: 'Since', cell: ({ period_start }) => <Day at={period_start} /> },
  { header: 'Until', cell: ({ period_end }) => <Day at={period_end} /> },
];

/** What has been used in the periods under way, in all and by day. */
export function Usage({ customerId }: { customerId: string }) {
  const draft = useQuery(views.draft());
  const [chosen, choose] = useState<string | null>(null);
  return (
    <Region title="Usage">
      <Loaded query={draft}>
        {({ lines }) => {
          const used = lines.filter(({ type, customer_id }) => type === 'usage' && customer_id === customerId);
          // Of one metric there may be lines for several combinations, which its days have together.
          const counted = [...new Map(used.map((line) => [countedBy(line), line])).values()];
          const shown = counted.find((line) => countedBy(line) === chosen) ?? counted[0];
          return (
            <Stack>
              <DataTable
                columns={LINES}
                rows={used}
                rowKey={(line) => String(used.indexOf(line))}
                empty="Nothing that is used is billed yet"
              />
              {counted.length > 1 && shown && (
                <Select
                  label="By day"
                  size="xs"
                  data={counted.map((line) => ({ value: countedBy(line), label: metricOf(line) }))}
                  value={countedBy(shown)}
                  onChange={choose}
                  allowDeselect={false}
                />
              )}
              {shown && <UsageByDay lines={used.filter((line) => countedBy(line) === countedBy(shown))} />}
            </Stack>
          );
        }}
      </Loaded>
    </Region>
  );
}

function countedBy({ subscription_id, metric_id }: BillLine): string {
  return `${subscription_id} ${metric_id}`;
}

/** The metric of a line, by the beginning of its words: `Tokens (gpt-5, input): 10 units`. */
function metricOf({ description, group }: BillLine): string {
  const combination =
    group &&
    ` (${Object.values(group)
      .map((text) => text ?? 'none')
      .join(', ')})`;
  return description.split(combination || ': ')[0] ?? description;
}

function UsageByDay({ lines }: { lines: readonly BillLine[] }) {
  const starts = lines.map(({ period_start }) => period_start ?? '').toSorted();
  const ends = lines.map(({ period_end }) => period_end ?? '').toSorted();
  const zone = useContext(Zone);
  const usage = useQuery(
    views.usage({
      metric_id: lines[0]?.metric_id ?? '',
      start: starts[0] ?? '',
      end: ends.at(-1) ?? '',
      granularity: 'day',
    }),
  );
  return (
    <Loaded query={usage}>
      {({ results }) =>
        results.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing has been used yet
          </Text>
        ) : (
          <ValuesByDay
            title="Usage by day"
            series="Used"
            rows={results.map(({ start, value }) => ({ date: dateIn(zone, start), value }))}
            show={(value) => <Quantity value={value} />}
          />
        )
      }
    </Loaded>
  );
}
