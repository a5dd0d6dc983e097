import { useQuery } from '@tanstack/react-query';
import type { RecordOf } from '../../api/client.ts';
import { listQuery } from '../../api/queries.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink } from '../../parts/links.tsx';
import { List } from '../../parts/list-page.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';

const COLUMNS: Column<RecordOf<'/api/customers'>>[] = [
  {
    header: 'Customer',
    cell: ({ customer_id, customer_name }) => (
      <CustomerLink id={customer_id}>{customer_name || undefined}</CustomerLink>
    ),
  },
  { header: 'ID', cell: ({ customer_id }) => customer_id },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];

/** The customers that another one pays for; nothing for who pays for itself alone. */
export function Children({ payerId }: { payerId: string }) {
  const query = { billed_to: payerId };
  const any = useQuery(listQuery('/api/customers', { query: { ...query, page_size: '1' } }));
  if (!any.data?.results.length) return null;
  return (
    <Region title="Pays for">
      <List
        path="/api/customers"
        parameters={{ query }}
        things="customers"
        columns={COLUMNS}
        rowKey={({ customer_id }) => customer_id}
        aside="children"
      />
    </Region>
  );
}
