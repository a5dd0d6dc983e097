import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Bill } from '../bills/bill.tsx';
import { LineLink } from '../bills/line-link.tsx';
import { Facts } from '../parts/facts.tsx';
import { RecordPage } from '../parts/record.tsx';
import { Region } from '../parts/region.tsx';
import { Status } from '../parts/status.tsx';
import { CalendarDate, Instant } from '../parts/times.tsx';
import { PdfLink } from './invoices.tsx';
import { views } from './views.ts';

/** An invoice with its lines, each of which leads to how it comes about. */
export function InvoicePage() {
  const { invoiceId = '' } = useParams({ strict: false });
  const invoice = useQuery(views.invoice(invoiceId));
  return (
    <RecordPage
      query={invoice}
      id={invoiceId}
      title={({ invoice_number }) => invoice_number ?? ''}
      actions={(record) => <PdfLink invoice={record} />}
    >
      {(record) => (
        <>
          <Region title="Details">
            <Facts
              of={[
                ['Status', <Status key="status" of={record.past_due ? 'past_due' : record.status} />],
                ['Issued', <CalendarDate key="issued" date={record.issue_date} />],
                ['Due', <CalendarDate key="due" date={record.due_date} />],
                ['Paid', record.paid_at && <Instant key="paid" at={record.paid_at} />],
              ]}
            />
          </Region>
          <Region title="Lines">
            <Bill
              bill={record}
              describe={(line) => <LineLink invoiceId={record.invoice_id} line={line} />}
              empty="No lines"
            />
          </Region>
        </>
      )}
    </RecordPage>
  );
}
