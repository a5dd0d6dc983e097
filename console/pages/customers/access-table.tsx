import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { List } from '../../parts/list-page.tsx';
import { None, Quantity } from '../../parts/numbers.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';

type Entry = RecordOf<'/api/customers/{customer_id}/access'>;

const COLUMNS: Column<Entry>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Type', cell: ({ type }) => wordsOf(type) },
  { header: 'Access', cell: ({ access, reason }) => <Status of={access ? 'allowed' : (reason ?? 'refused')} /> },
  { header: 'Usage', cell: ({ usage }) => <Quantity value={usage} />, isNumber: true },
  { header: 'Limit', cell: ({ limit }) => <Quantity value={limit} />, isNumber: true },
  { header: 'Remaining', cell: ({ remaining }) => <Quantity value={remaining} />, isNumber: true },
  { header: 'Resets', cell: ({ resets_at }) => (resets_at ? <Instant at={resets_at} /> : <None />) },
];

/** What a customer may use, and why not. */
export function AccessTable({ customerId }: { customerId: string }) {
  return (
    <List
      path="/api/customers/{customer_id}/access"
      parameters={{ path: { customer_id: customerId } }}
      things="features or metrics in an active plan"
      columns={COLUMNS}
      rowKey={({ type, id }) => `${type} ${id}`}
      aside="access"
    />
  );
}
