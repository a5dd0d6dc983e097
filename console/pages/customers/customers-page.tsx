import { useNavigate } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import { useSession } from '../../frame/scopes.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Money, None } from '../../parts/numbers.tsx';
import { Day } from '../../parts/times.tsx';
import { type Customer, newCustomer } from './customer-actions.ts';

const COLUMNS: Column<RecordOf<'/api/customers'>>[] = [
  {
    header: 'Customer',
    cell: (customer) => <CustomerLink id={customer.customer_id}>{customer.customer_name || undefined}</CustomerLink>,
    sort: 'customer_name',
  },
  { header: 'ID', cell: (customer) => customer.customer_id, sort: 'customer_id' },
  { header: 'Email', cell: (customer) => customer.email || <None /> },
  {
    header: 'Amount due',
    cell: (customer) => <Money value={customer.total_amount_due} currency={customer.default_currency} />,
    isNumber: true,
  },
  { header: 'Created', cell: (customer) => <Day at={customer.created_at} />, sort: 'created_at' },
];

export function CustomersPage() {
  const navigate = useNavigate();
  const { account } = useSession();
  const show = (made: unknown) =>
    void navigate({ to: '/customers/$customerId', params: { customerId: (made as Customer).customer_id } });
  return (
    <ListPage
      title="Customers"
      path="/api/customers"
      things="customers"
      columns={COLUMNS}
      rowKey={(customer) => customer.customer_id}
      filters={[{ name: 'search' }]}
      actions={<ActionButton action={newCustomer(account)} onDone={show} />}
    />
  );
}
