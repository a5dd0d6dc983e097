import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink, InvoiceLink } from '../../parts/links.tsx';
import { ListPage, type View } from '../../parts/list-page.tsx';
import { Money } from '../../parts/numbers.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate } from '../../parts/times.tsx';

export type Invoice = RecordOf<'/api/invoices'>;

export const INVOICE_COLUMNS: Column<Invoice>[] = [
  {
    header: 'Number',
    cell: ({ invoice_id, invoice_number }) => <InvoiceLink id={invoice_id}>{invoice_number}</InvoiceLink>,
  },
  { header: 'Status', cell: ({ status, past_due }) => <Status of={past_due ? 'past_due' : status} /> },
  { header: 'Total', cell: ({ total, currency }) => <Money value={total} currency={currency} />, isNumber: true },
  {
    header: 'Amount due',
    cell: ({ amount_due, currency }) => <Money value={amount_due} currency={currency} />,
    isNumber: true,
  },
  { header: 'Issued', cell: ({ issue_date }) => <CalendarDate date={issue_date} /> },
  { header: 'Due', cell: ({ due_date }) => <CalendarDate date={due_date} /> },
];

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
      filters={[
        { name: 'number' },
        { name: 'kind', options: ['opening', 'period', 'closing', 'proration', 'manual'] },
        { name: 'issued_from', type: 'date' },
        { name: 'issued_to', type: 'date' },
      ]}
    />
  );
}
