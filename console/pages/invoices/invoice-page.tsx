import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import { Bill } from '../../bills/bill.tsx';
import { LineLink } from '../../bills/line-link.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, SubscriptionLink } from '../../parts/links.tsx';
import { List } from '../../parts/list-page.tsx';
import { Money, None } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Day, Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { REFUND_COLUMNS } from '../credits/credit-columns.tsx';
import { CustomerZone } from '../customers/customer-zone.tsx';
import { HeldRegion } from '../held-usage/held-region.tsx';
import { type InvoiceRecord, invoiceActions } from './invoice-actions.ts';

/** An invoice: its lines, each of which explains itself, what was paid of it, and what can be done. */
export function InvoicePage() {
  const { invoiceId = '' } = useParams({ strict: false });
  const invoice = useQuery(recordQuery('/api/invoices/{invoice_id}', { path: { invoice_id: invoiceId } }));
  return (
    <RecordPage
      query={invoice}
      id={invoiceId}
      title={({ invoice_number }) => invoice_number ?? ''}
      actions={(record) => (
        <>
          <Anchor href={`/api/invoices/${record.invoice_id}/pdf`} target="_blank" rel="noreferrer" size="sm">
            PDF
          </Anchor>
          {invoiceActions(record).map((action) => (
            <ActionButton key={action.name} action={action} />
          ))}
        </>
      )}
    >
      {(record) => (
        <CustomerZone id={record.customer_id}>
          <Region title="Details">
            <Facts of={detailsOf(record)} />
          </Region>
          <Region title="Lines">
            <Bill
              bill={record}
              describe={(line) => <LineLink invoiceId={record.invoice_id} line={line} />}
              empty="No lines"
            />
          </Region>
          <HeldRegion of={record.held} />
          {record.sections.length > 0 && (
            <Region title="Sections">
              <DataTable
                columns={sectionColumns(record)}
                rows={record.sections}
                rowKey={({ subscription_id, kind, period_start }) => `${subscription_id} ${kind} ${period_start}`}
                empty="No sections"
              />
            </Region>
          )}
          <Region title="Payments">
            <DataTable
              columns={paymentsOf(record)}
              rows={record.payments}
              rowKey={({ payment_id }) => payment_id}
              empty="No payments yet"
            />
          </Region>
          {record.status === 'paid' && <Refunds invoiceId={String(record.invoice_id)} />}
        </CustomerZone>
      )}
    </RecordPage>
  );
}

/** What each subscription of the payer, and of those that it pays for, is billed. */
function sectionColumns({ currency }: InvoiceRecord): Column<InvoiceRecord['sections'][number]>[] {
  return [
    { header: 'Customer', cell: ({ customer_id }) => <CustomerLink id={customer_id} /> },
    { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
    { header: 'Kind', cell: ({ kind }) => wordsOf(kind) },
    {
      header: 'Period',
      cell: ({ period_start, period_end }) =>
        period_start && (
          <>
            <Day at={period_start} /> – <Day at={period_end} />
          </>
        ),
    },
    { header: 'Subtotal', cell: ({ subtotal }) => <Money value={subtotal} currency={currency} />, isNumber: true },
  ];
}

function Refunds({ invoiceId }: { invoiceId: string }) {
  return (
    <Region title="Refunds">
      <List
        path="/api/refunds"
        parameters={{ query: { invoice_id: invoiceId } }}
        things="refunds"
        columns={REFUND_COLUMNS}
        rowKey={({ refund_id }) => refund_id}
        aside="refunds"
      />
    </Region>
  );
}

function detailsOf(invoice: InvoiceRecord): [string, React.ReactNode][] {
  return [
    [
      'Customer',
      <CustomerLink key="customer" id={invoice.customer_id}>
        {invoice.customer_name || undefined}
      </CustomerLink>,
    ],
    ['Subscription', invoice.subscription_id && <SubscriptionLink key="subscription" id={invoice.subscription_id} />],
    ['Status', <Status key="status" of={invoice.past_due ? 'past_due' : invoice.status} />],
    ['Kind', wordsOf(invoice.kind)],
    ['Issued', <CalendarDate key="issued" date={invoice.issue_date} />],
    ['Due', <CalendarDate key="due" date={invoice.due_date} />],
    ['Period starts', invoice.period_start && <Instant key="start" at={invoice.period_start} />],
    ['Period ends', invoice.period_end && <Instant key="end" at={invoice.period_end} />],
    ['Paid', invoice.paid_at && <Instant key="paid" at={invoice.paid_at} />],
    ['Invoice ID', invoice.invoice_id ?? <None />],
  ];
}

function paymentsOf({ currency }: InvoiceRecord): Column<InvoiceRecord['payments'][number]>[] {
  return [
    { header: 'Payment', cell: ({ payment_id }) => payment_id },
    { header: 'Method', cell: ({ method }) => wordsOf(method) },
    { header: 'Amount', cell: ({ amount }) => <Money value={amount} currency={currency} />, isNumber: true },
    { header: 'Reference', cell: ({ reference }) => reference ?? <None /> },
    { header: 'Paid', cell: ({ paid_at }) => <Instant at={paid_at} /> },
  ];
}
