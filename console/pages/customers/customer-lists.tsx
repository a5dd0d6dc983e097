import { useParams } from '@tanstack/react-router';
import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CreditLink, InvoiceLink, RefundLink } from '../../parts/links.tsx';
import { List } from '../../parts/list-page.tsx';
import { None } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { CREDIT_COLUMNS, REFUND_COLUMNS } from '../credits/credit-columns.tsx';
import { EVENT_COLUMNS, EVENT_FILTERS } from '../events/event-columns.tsx';
import { INVOICE_COLUMNS, INVOICE_FILTERS } from '../invoices/invoice-columns.tsx';
import { AccessTable } from './access-table.tsx';
import { LedgerEntries } from './ledger-entries.tsx';

function useCustomerId(): string {
  return useParams({ strict: false }).customerId ?? '';
}

export function CustomerInvoices() {
  const customer_id = useCustomerId();
  return (
    <Region title="Invoices">
      <List
        path="/api/invoices"
        parameters={{ query: { customer_id } }}
        things="invoices"
        columns={INVOICE_COLUMNS}
        rowKey={({ invoice_id }) => String(invoice_id)}
        filters={INVOICE_FILTERS}
      />
    </Region>
  );
}

export function CustomerCredits() {
  const customer_id = useCustomerId();
  return (
    <>
      <Region title="Credits">
        <List
          path="/api/credits"
          parameters={{ query: { customer_id } }}
          things="credits"
          columns={CREDIT_COLUMNS}
          rowKey={({ credit_id }) => credit_id}
        />
      </Region>
      <Region title="Refunds">
        <List
          path="/api/refunds"
          parameters={{ query: { customer_id } }}
          things="refunds"
          columns={REFUND_COLUMNS}
          rowKey={({ refund_id }) => refund_id}
          aside="refunds"
        />
      </Region>
    </>
  );
}

export function CustomerEvents() {
  const customer_id = useCustomerId();
  return (
    <Region title="Events">
      <List
        path="/api/events"
        parameters={{ query: { customer_id } }}
        things="events"
        columns={EVENT_COLUMNS}
        rowKey={({ idempotency_id }) => idempotency_id}
        filters={EVENT_FILTERS}
      />
    </Region>
  );
}

export function CustomerAccess() {
  return (
    <Region title="Access">
      <AccessTable customerId={useCustomerId()} />
    </Region>
  );
}

type LedgerTransaction = RecordOf<'/api/customers/{customer_id}/ledger'>;

const LEDGER_COLUMNS: Column<LedgerTransaction>[] = [
  { header: 'At', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Kind', cell: ({ kind }) => wordsOf(kind) },
  {
    header: 'About',
    cell: ({ invoice_id, credit_id, refund_id }) => {
      if (invoice_id) return <InvoiceLink id={invoice_id} />;
      if (credit_id) return <CreditLink id={credit_id} />;
      return refund_id ? <RefundLink id={refund_id} /> : <None />;
    },
  },
  { header: 'Entries', cell: ({ entries }) => <LedgerEntries of={entries} /> },
];

export function CustomerLedger() {
  return (
    <Region title="Ledger">
      <List
        path="/api/customers/{customer_id}/ledger"
        parameters={{ path: { customer_id: useCustomerId() } }}
        things="ledger transactions"
        columns={LEDGER_COLUMNS}
        rowKey={({ ledger_transaction_id }) => ledger_transaction_id}
      />
    </Region>
  );
}
