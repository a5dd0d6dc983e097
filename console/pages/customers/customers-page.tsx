import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Money, None } from '../../parts/numbers.tsx';
import { Day } from '../../parts/times.tsx';

type Customer = RecordOf<'/api/customers'>;

const COLUMNS: Column<Customer>[] = [
  {
    header: 'Customer',
    cell: (customer) => <CustomerLink id={customer.customer_id}>{customer.customer_name || undefined}</CustomerLink>,
  },
  { header: 'ID', cell: (customer) => customer.customer_id },
  { header: 'Email', cell: (customer) => customer.email || <None /> },
  {
    header: 'Amount due',
    cell: (customer) => <Money value={customer.total_amount_due} currency={customer.default_currency} />,
    isNumber: true,
  },
  { header: 'Created', cell: (customer) => <Day at={customer.created_at} />, sort: 'created_at' },
];

export function CustomersPage() {
  return (
    <ListPage
      title="Customers"
      path="/api/customers"
      things="customers"
      columns={COLUMNS}
      rowKey={(customer) => customer.customer_id}
      filters={[{ name: 'search' }]}
    />
  );
}
