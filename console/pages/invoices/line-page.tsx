import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { recordQuery } from '../../api/queries.ts';
import { useAddress } from '../../parts/address.ts';
import { InvoiceLink } from '../../parts/links.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Explanation } from './explanation.tsx';

/** A line of an invoice, explained. */
export function LinePage() {
  const { invoiceId = '', lineId = '' } = useParams({ strict: false });
  const [{ cursor }] = useAddress();
  const explanation = useQuery(
    recordQuery('/api/invoices/{invoice_id}/lines/{line_id}/explain', {
      path: { invoice_id: invoiceId, line_id: lineId },
      query: { cursor },
    }),
  );
  return (
    <RecordPage query={explanation} id={lineId} title={({ description }) => description}>
      {(line) => (
        <Explanation
          of={line}
          about={[
            'Invoice',
            <InvoiceLink key="invoice" id={line.invoice_id}>
              {line.invoice_number}
            </InvoiceLink>,
          ]}
        />
      )}
    </RecordPage>
  );
}
