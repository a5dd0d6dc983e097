import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import type { Filter } from '../../parts/filters.tsx';
import { InvoiceLink } from '../../parts/links.tsx';
import { Money } from '../../parts/numbers.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate } from '../../parts/times.tsx';

export type Invoice = RecordOf<'/api/invoices'>;

export const INVOICE_COLUMNS: Column<Invoice>[] = [
  {
    header: 'Number',
    cell: ({ invoice_id, invoice_number }) => <InvoiceLink id={invoice_id}>{invoice_number}</InvoiceLink>,
    sort: 'invoice_number',
  },
  { header: 'Status', cell: ({ status, past_due }) => <Status of={past_due ? 'past_due' : status} /> },
  {
    header: 'Total',
    cell: ({ total, currency }) => <Money value={total} currency={currency} />,
    sort: 'total',
    isNumber: true,
  },
  {
    header: 'Amount due',
    cell: ({ amount_due, currency }) => <Money value={amount_due} currency={currency} />,
    sort: 'amount_due',
    isNumber: true,
  },
  { header: 'Issued', cell: ({ issue_date }) => <CalendarDate date={issue_date} />, sort: 'issue_date' },
  { header: 'Due', cell: ({ due_date }) => <CalendarDate date={due_date} />, sort: 'due_date' },
];

export const INVOICE_FILTERS: readonly Filter[] = [
  { name: 'status', options: ['open', 'paid', 'void', 'uncollectible'] },
  { name: 'kind', options: ['opening', 'period', 'closing', 'proration', 'manual'] },
  { name: 'issued_from', type: 'date' },
  { name: 'issued_to', type: 'date' },
];
