import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { recordQuery } from '../../api/queries.ts';
import { Explanation } from '../../bills/explanation.tsx';
import { useAddress } from '../../parts/address.ts';
import { InvoiceLink } from '../../parts/links.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { CustomerZone } from '../customers/customer-zone.tsx';
import { Agreed, LINE_EVENT_COLUMNS, metricFact } from './line-facts.tsx';

/** A line of an invoice, explained. */
export function LinePage() {
  const { invoiceId = '', lineId = '' } = useParams({ strict: false });
  const [{ cursor }] = useAddress();
  const invoice = useQuery(recordQuery('/api/invoices/{invoice_id}', { path: { invoice_id: invoiceId } }));
  const explanation = useQuery(
    recordQuery('/api/invoices/{invoice_id}/lines/{line_id}/explain', {
      path: { invoice_id: invoiceId, line_id: lineId },
      query: { cursor },
    }),
  );
  return (
    <RecordPage query={explanation} id={lineId} title={({ description }) => description}>
      {(line) => (
        <CustomerZone id={invoice.data?.customer_id}>
          <Explanation
            of={line}
            facts={[
              [
                'Invoice',
                <InvoiceLink key="invoice" id={line.invoice_id}>
                  {line.invoice_number}
                </InvoiceLink>,
              ],
              metricFact(line),
            ]}
            eventColumns={LINE_EVENT_COLUMNS}
          >
            <Agreed on={line} />
          </Explanation>
        </CustomerZone>
      )}
    </RecordPage>
  );
}
