import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useContext } from 'react';
import type { AnswerOf } from '../../api/client.ts';
import { listQuery, recordQuery } from '../../api/queries.ts';
import { useAddress } from '../../parts/address.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { DateInput } from '../../parts/date-input.tsx';
import { addDays, dateIn, useToday } from '../../parts/days.ts';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Money, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { CalendarDate, Day, Zone } from '../../parts/times.tsx';
import { useCustomer } from './customer-page.tsx';

const SHOWN_DAYS = 30;

function useDays() {
  const [address, change] = useAddress();
  const today = useToday(useCustomer().data?.test_clock_id);
  const { start = addDays(today, 1 - SHOWN_DAYS), end = today } = address;
  const inputs = (
    <>
      <DateInput label="From" value={start} onChange={(date) => change({ start: date })} />
      <DateInput label="To" value={end} onChange={(date) => change({ end: date })} />
    </>
  );
  return { start, end, inputs };
}

type Usage = AnswerOf<'/api/metrics/{metric_id}/usage'>['results'][number];

const USAGE: Column<Usage>[] = [
  { header: 'Day', cell: ({ start }) => <Day at={start} /> },
  { header: 'Value', cell: ({ value }) => <Quantity value={value} />, isNumber: true },
  { header: 'Events', cell: ({ events_count }) => <Quantity value={events_count} />, isNumber: true },
];

/** What a customer used of a metric, day by day. */
export function CustomerUsage() {
  const [address, change] = useAddress();
  const days = useDays();
  const metrics = useQuery(listQuery('/api/metrics', { query: { page_size: '200' } }));
  const metricId = address.metric_id ?? metrics.data?.results[0]?.metric_id;
  return (
    <Region title="Usage">
      <Loaded query={metrics}>
        {({ results }) => (
          <Group gap="sm" mb="md">
            <Select
              label="Metric"
              size="xs"
              w={260}
              data={results.map(({ metric_id, metric_name }) => ({ value: metric_id, label: metric_name }))}
              value={metricId ?? null}
              onChange={(chosen) => change({ metric_id: chosen ?? undefined })}
              searchable
              allowDeselect={false}
            />
            {days.inputs}
          </Group>
        )}
      </Loaded>
      {metricId && <UsageByDay metricId={metricId} start={days.start} end={days.end} />}
    </Region>
  );
}

/** Days are the customer's own: the API takes and counts them in its time zone, which is the page's. */
function UsageByDay({ metricId, start, end }: { metricId: string; start: string; end: string }) {
  const zone = useContext(Zone);
  const { customerId = '' } = useParams({ strict: false });
  const usage = useQuery(
    recordQuery('/api/metrics/{metric_id}/usage', {
      path: { metric_id: metricId },
      query: { customer_id: customerId, granularity: 'day', start, end: addDays(end, 1) },
    }),
  );
  return (
    <Loaded query={usage}>
      {({ results }) => (
        <>
          <Chart
            title="Usage by day"
            series={['Value']}
            points={results.map((day) => ({ label: dateIn(zone, day.start).slice(5), values: { Value: day.value } }))}
          />
          <DataTable columns={USAGE} rows={results} rowKey={(row) => row.start} empty="No usage yet" />
        </>
      )}
    </Loaded>
  );
}

type Costs = AnswerOf<'/api/customers/{customer_id}/cost_analysis'>;

/** What a customer pays, what it costs, and what is left, day by day. */
export function CustomerCosts() {
  const { customerId = '' } = useParams({ strict: false });
  const { start, end, inputs } = useDays();
  const costs = useQuery(
    recordQuery('/api/customers/{customer_id}/cost_analysis', {
      path: { customer_id: customerId },
      query: { start_date: start, end_date: end },
    }),
  );
  return (
    <Region title="Costs">
      <Group gap="sm" mb="md">
        {inputs}
      </Group>
      <Loaded query={costs}>{(analysis) => <CostsByDay of={analysis} />}</Loaded>
    </Region>
  );
}

function CostsByDay({ of: costs }: { of: Costs }) {
  const { currency } = costs;
  const columns: Column<Costs['per_day'][number]>[] = [
    { header: 'Day', cell: ({ date }) => <CalendarDate date={date} /> },
    { header: 'Revenue', cell: ({ revenue }) => <Money value={revenue} currency={currency} />, isNumber: true },
    { header: 'Cost', cell: ({ cost }) => <Money value={cost} currency={currency} />, isNumber: true },
    { header: 'Margin', cell: ({ margin }) => <Money value={margin} currency={currency} />, isNumber: true },
  ];
  return (
    <>
      <Facts
        of={[
          ['Revenue', <Money key="revenue" value={costs.total_revenue} currency={currency} />],
          ['Cost', <Money key="cost" value={costs.total_cost} currency={currency} />],
          ['Margin', <Money key="margin" value={costs.total_margin} currency={currency} />],
        ]}
      />
      <Chart
        title="Revenue and cost by day"
        series={['Revenue', 'Cost']}
        points={costs.per_day.map(({ date, revenue, cost }) => ({
          label: date.slice(5),
          values: { Revenue: revenue, Cost: cost },
        }))}
      />
      <DataTable columns={columns} rows={costs.per_day} rowKey={({ date }) => date} empty="No days" />
    </>
  );
}
