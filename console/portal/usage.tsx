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
export function Usage() {
  const draft = useQuery(views.draft());
  const [chosen, choose] = useState<string | null>(null);
  return (
    <Region title="Usage">
      <Loaded query={draft}>
        {({ lines }) => {
          const used = lines.filter(({ type }) => type === 'usage');
          const shown = used.find((line) => keyOf(line) === chosen) ?? used[0];
          return (
            <Stack>
              <DataTable columns={LINES} rows={used} rowKey={keyOf} empty="Nothing that is used is billed yet" />
              {used.length > 1 && shown && (
                <Select
                  label="By day"
                  size="xs"
                  data={used.map((line) => ({ value: keyOf(line), label: line.description }))}
                  value={keyOf(shown)}
                  onChange={choose}
                  allowDeselect={false}
                />
              )}
              {shown && <UsageByDay line={shown} />}
            </Stack>
          );
        }}
      </Loaded>
    </Region>
  );
}

function keyOf({ subscription_id, metric_id }: BillLine): string {
  return `${subscription_id} ${metric_id}`;
}

function UsageByDay({ line: { metric_id, period_start, period_end } }: { line: BillLine }) {
  const zone = useContext(Zone);
  const usage = useQuery(
    views.usage({
      metric_id: metric_id ?? '',
      start: period_start ?? '',
      end: period_end ?? '',
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
