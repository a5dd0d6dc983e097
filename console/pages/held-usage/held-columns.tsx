import type { AnswerOf } from '../../api/client.ts';
import { Properties } from '../../bills/price-row.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { Quantity } from '../../parts/numbers.tsx';
import { Day, Instant } from '../../parts/times.tsx';

type Held = AnswerOf<'/api/invoices/{invoice_id}'>['held'][number];

/** What is held: of a draft, an invoice, or of all. */
export const HELD_COLUMNS: Column<Held>[] = [
  { header: 'Events with', cell: ({ group }) => <Properties of={group} /> },
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
  { header: 'Quantity', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
  { header: 'Events', cell: ({ events_count }) => <Quantity value={events_count} />, isNumber: true },
  { header: 'First event', cell: ({ first_event_at }) => <Instant at={first_event_at} /> },
  {
    header: 'Period',
    cell: ({ period_start, period_end }) => (
      <>
        <Day at={period_start} /> – <Day at={period_end} />
      </>
    ),
  },
];
