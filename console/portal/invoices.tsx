import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../parts/address.ts';
import { AnchorLink } from '../parts/anchor-link.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Money } from '../parts/numbers.tsx';
import { Pager } from '../parts/pager.tsx';
import { Region } from '../parts/region.tsx';
import { Status } from '../parts/status.tsx';
import { CalendarDate } from '../parts/times.tsx';
import { type Invoice, pdfOf, views } from './views.ts';

const INVOICES: Column<Invoice>[] = [
  {
    header: 'Number',
    cell: ({ invoice_id, invoice_number }) => (
      <AnchorLink to="/invoices/$invoiceId" params={{ invoiceId: String(invoice_id) }} inherit>
        {invoice_number}
      </AnchorLink>
    ),
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
  { header: 'Document', cell: (invoice) => <PdfLink invoice={invoice} /> },
];

const PAGE_SIZE = '20';

export function Invoices() {
  const [{ page, after }] = useAddress();
  const invoices = useQuery(views.invoices({ page, after, page_size: PAGE_SIZE }));
  return (
    <Region title="Invoices">
      <Loaded query={invoices}>
        {(list) => (
          <>
            <DataTable
              columns={INVOICES}
              rows={list.results}
              rowKey={({ invoice_id }) => String(invoice_id)}
              empty="No invoices yet"
            />
            <Pager page={list} />
          </>
        )}
      </Loaded>
    </Region>
  );
}

export function PdfLink({ invoice }: { invoice: Invoice }) {
  return (
    <Anchor href={pdfOf(invoice)} target="_blank" rel="noreferrer" aria-label={`PDF ${invoice.invoice_number}`} inherit>
      PDF
    </Anchor>
  );
}
