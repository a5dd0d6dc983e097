import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { EVENT_COLUMNS, EVENT_FILTERS } from './event-columns.tsx';

const COLUMNS: Column<RecordOf<'/api/events'>>[] = EVENT_COLUMNS.toSpliced(2, 0, {
  header: 'Customer',
  cell: ({ customer_id }) => <CustomerLink id={customer_id} />,
});

export function EventsPage() {
  return (
    <ListPage
      title="Events"
      path="/api/events"
      things="events"
      columns={COLUMNS}
      rowKey={({ idempotency_id }) => idempotency_id}
      filters={[...EVENT_FILTERS, { name: 'customer_id' }]}
    />
  );
}
