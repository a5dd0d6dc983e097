import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import { useMay } from '../../frame/scopes.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { None, Quantity } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { type Metric, metricActions } from './metric-actions.ts';

const COLUMNS: Column<Metric>[] = [
  { header: 'Metric', cell: ({ metric_id, metric_name }) => <MetricLink id={metric_id}>{metric_name}</MetricLink> },
  { header: 'Aggregation', cell: ({ aggregation_type }) => wordsOf(aggregation_type) },
  { header: 'Event name', cell: ({ event_name }) => event_name ?? <None /> },
  { header: 'Property', cell: ({ property_name }) => property_name ?? <None /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];

export function MetricsPage() {
  const navigate = useNavigate();
  const mayWrite = useMay('write');
  return (
    <ListPage
      title="Metrics"
      path="/api/metrics"
      things="metrics"
      columns={COLUMNS}
      rowKey={({ metric_id }) => metric_id}
      actions={
        mayWrite && (
          <Button size="xs" variant="default" onClick={() => void navigate({ to: '/metrics/new' })}>
            New metric
          </Button>
        )
      }
    />
  );
}

export function MetricPage() {
  const { metricId = '' } = useParams({ strict: false });
  const metric = useQuery(recordQuery('/api/metrics/{metric_id}', { path: { metric_id: metricId } }));
  return (
    <RecordPage
      query={metric}
      id={metricId}
      title={({ metric_name }) => metric_name}
      actions={(one) => metricActions(one).map((action) => <ActionButton key={action.name} action={action} />)}
    >
      {(one) => (
        <Region title="Details">
          <Facts of={detailsOf(one)} />
        </Region>
      )}
    </RecordPage>
  );
}

function detailsOf(metric: Metric): [string, React.ReactNode][] {
  return [
    ['Metric ID', metric.metric_id],
    ['Status', <Status key="status" of={metric.status} />],
    ['Aggregation', wordsOf(metric.aggregation_type)],
    ['Event name', metric.event_name ?? 'Any'],
    ['Property', metric.property_name ?? <None />],
    ['Counts where', filtersOf(metric) || 'Always'],
    ['Days and hours', timesOf(metric)],
    ['Cost metric', metric.is_cost_metric ? 'Yes' : 'No'],
    ['Unit cost', <Quantity key="cost" value={metric.unit_cost} />],
    ['Created', <Instant key="created" at={metric.created_at} />],
  ];
}

function timesOf({ time_filter: time }: Metric): string {
  const days = time?.days_of_week && `Days ${time.days_of_week.join(', ')}`;
  const hours = time?.hours && `${time.hours.from} to ${time.hours.to} o'clock`;
  return [days, hours].filter(Boolean).join(', ') || 'Always';
}

function filtersOf({ numeric_filters, categorical_filters }: Metric): string {
  const numeric = numeric_filters.map((one) => `${one.property_name} ${one.operator} ${one.comparison_value}`);
  const categorical = categorical_filters.map(
    (one) => `${one.property_name} ${one.operator} ${one.comparison_value.join(', ')}`,
  );
  return [...numeric, ...categorical].join('; ');
}
