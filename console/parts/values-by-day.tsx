import { Accordion } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Exact } from '../api/exact.ts';
import { Chart } from './charts/chart.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { CalendarDate } from './times.tsx';

type Row = { date: string; value: Exact };
type ValuesByDayProps = { title: string; series: string; rows: Row[]; show: (value: Exact) => ReactNode };

/** A value for each day: drawn, and as the table of the same, which opens beneath. */
export function ValuesByDay({ title, series, rows, show }: ValuesByDayProps) {
  const columns: Column<Row>[] = [
    { header: 'Day', cell: ({ date }) => <CalendarDate date={date} /> },
    { header: series, cell: ({ value }) => show(value), isNumber: true },
  ];
  return (
    <>
      <Chart
        title={title}
        series={[series]}
        points={rows.map(({ date, value }) => ({ label: date.slice(5), values: { [series]: value } }))}
      />
      <Accordion mt="sm">
        <Accordion.Item value="table">
          <Accordion.Control>{title}, as a table</Accordion.Control>
          <Accordion.Panel>
            <DataTable columns={columns} rows={rows} rowKey={({ date }) => date} empty="No days" />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}
