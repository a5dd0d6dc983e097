import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink } from '../../parts/links.tsx';
import { ListPage, type View } from '../../parts/list-page.tsx';
import { INVOICE_COLUMNS, INVOICE_FILTERS, type Invoice } from './invoice-columns.tsx';

const COLUMNS: Column<Invoice>[] = INVOICE_COLUMNS.toSpliced(1, 0, {
  header: 'Customer',
  cell: ({ customer_id, customer_name }) => <CustomerLink id={customer_id}>{customer_name || undefined}</CustomerLink>,
});

const VIEWS: View[] = [
  { name: 'All', search: {} },
  { name: 'Open', search: { status: 'open' } },
  { name: 'Past due', search: { past_due: 'true' } },
  { name: 'Paid', search: { status: 'paid' } },
];

export function InvoicesPage() {
  return (
    <ListPage
      title="Invoices"
      path="/api/invoices"
      things="invoices"
      columns={COLUMNS}
      rowKey={(invoice) => String(invoice.invoice_id)}
      views={VIEWS}
      filters={[{ name: 'search' }, ...INVOICE_FILTERS.slice(1)]}
    />
  );
}
