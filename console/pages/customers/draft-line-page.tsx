import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { recordQuery } from '../../api/queries.ts';
import { DRAFT_LINE } from '../../bills/bill.tsx';
import { Explanation } from '../../bills/explanation.tsx';
import { only, useAddress } from '../../parts/address.ts';
import { RecordPage } from '../../parts/record.tsx';
import { Agreed, LINE_EVENT_COLUMNS, metricFact } from '../invoices/line-facts.tsx';
import { CustomerName, CustomerZone } from './customer-zone.tsx';

/** Which line it is, and which of its events. */
const WHICH = [...DRAFT_LINE, 'cursor'];

/** A line of a customer's upcoming invoice, explained as it is now. */
export function DraftLinePage() {
  const { customerId = '' } = useParams({ strict: false });
  const [address] = useAddress();
  const explanation = useQuery(
    recordQuery('/api/customers/{customer_id}/draft_invoice/explain', {
      path: { customer_id: customerId },
      query: only(address, WHICH),
    }),
  );
  return (
    <RecordPage query={explanation} id="Upcoming invoice" title={({ description }) => description}>
      {(line) => (
        <CustomerZone id={customerId}>
          <Explanation
            of={line}
            facts={[['Customer', <CustomerName key="customer" id={customerId} />], metricFact(line)]}
            eventColumns={LINE_EVENT_COLUMNS}
          >
            <Agreed on={line} />
          </Explanation>
        </CustomerZone>
      )}
    </RecordPage>
  );
}
