import type { ReactNode } from 'react';
import type { AnswerOf } from '../../api/client.ts';
import type { Explained, ExplainedEvent } from '../../bills/explanation.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { EVENT_COLUMNS } from '../events/event-columns.tsx';
import { Overrides } from '../plans/overrides.tsx';

/** The events of a line are in one order, which is not chosen here. */
export const LINE_EVENT_COLUMNS: Column<ExplainedEvent>[] = EVENT_COLUMNS.map(({ header, cell }) => ({ header, cell }));

/** What a line counts. */
export function metricFact({ metric }: Pick<Explained, 'metric'>): [string, ReactNode] {
  return ['Metric', metric && <MetricLink id={metric.metric_id}>{metric.metric_name}</MetricLink>];
}

type AgreedProps = {
  on: Pick<AnswerOf<'/api/invoices/{invoice_id}/lines/{line_id}/explain'>, 'overrides' | 'currency'>;
};

/** What was agreed on that the line is priced by; nothing where that is what the plan says. */
export function Agreed({ on: { overrides, currency } }: AgreedProps) {
  return overrides && <Overrides title="Agreed on" of={overrides} currency={currency} />;
}
