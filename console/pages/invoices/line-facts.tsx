import type { ReactNode } from 'react';
import type { Explained, ExplainedEvent } from '../../bills/explanation.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { EVENT_COLUMNS } from '../events/event-columns.tsx';

/** The events of a line are in one order, which is not chosen here. */
export const LINE_EVENT_COLUMNS: Column<ExplainedEvent>[] = EVENT_COLUMNS.map(({ header, cell }) => ({ header, cell }));

/** What a line counts. */
export function metricFact({ metric }: Pick<Explained, 'metric'>): [string, ReactNode] {
  return ['Metric', metric && <MetricLink id={metric.metric_id}>{metric.metric_name}</MetricLink>];
}
