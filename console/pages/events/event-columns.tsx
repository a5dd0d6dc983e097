import type { RecordOf } from '../../api/client.ts';
import { stringifyExact } from '../../api/exact.ts';
import type { Column } from '../../parts/data-table.tsx';
import type { Filter } from '../../parts/filters.tsx';
import { EventLink } from '../../parts/links.tsx';
import { Instant } from '../../parts/times.tsx';

export const EVENT_COLUMNS: Column<RecordOf<'/api/events'>>[] = [
  { header: 'Event', cell: ({ idempotency_id }) => <EventLink id={idempotency_id} /> },
  { header: 'Name', cell: ({ event_name }) => event_name },
  { header: 'Created', cell: ({ time_created }) => <Instant at={time_created} />, sort: 'time_created' },
  { header: 'Properties', cell: ({ properties }) => stringifyExact(properties) },
];

export const EVENT_FILTERS: readonly Filter[] = [{ name: 'event_name' }, { name: 'idempotency_id' }];
