import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CreditLink, InvoiceLink, RefundLink } from '../../parts/links.tsx';
import { Money } from '../../parts/numbers.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';

export const CREDIT_COLUMNS: Column<RecordOf<'/api/credits'>>[] = [
  { header: 'Credit', cell: ({ credit_id }) => <CreditLink id={credit_id} /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Reason', cell: ({ reason }) => wordsOf(reason) },
  { header: 'Amount', cell: ({ amount, currency }) => <Money value={amount} currency={currency} />, isNumber: true },
  {
    header: 'Remaining',
    cell: ({ amount_remaining, currency }) => <Money value={amount_remaining} currency={currency} />,
    isNumber: true,
  },
  { header: 'Expires', cell: ({ expires_at }) => <CalendarDate date={expires_at} />, sort: 'expires_at' },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} />, sort: 'created_at' },
];

export const REFUND_COLUMNS: Column<RecordOf<'/api/refunds'>>[] = [
  { header: 'Refund', cell: ({ refund_id }) => <RefundLink id={refund_id} /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Invoice', cell: ({ invoice_id }) => <InvoiceLink id={invoice_id} /> },
  { header: 'Method', cell: ({ method }) => wordsOf(method) },
  { header: 'Amount', cell: ({ amount, currency }) => <Money value={amount} currency={currency} />, isNumber: true },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];
