import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { recordQuery } from '../../api/queries.ts';
import { useAddress } from '../../parts/address.ts';
import { RecordPage } from '../../parts/record.tsx';
import { Explanation } from '../invoices/explanation.tsx';
import { CustomerName, CustomerZone } from './customer-zone.tsx';

/** A line of a customer's upcoming invoice, explained as it is now. */
export function DraftLinePage() {
  const { customerId = '' } = useParams({ strict: false });
  const [address] = useAddress();
  const explanation = useQuery(
    recordQuery('/api/customers/{customer_id}/draft_invoice/explain', {
      path: { customer_id: customerId },
      query: address,
    }),
  );
  return (
    <RecordPage query={explanation} id="Upcoming invoice" title={({ description }) => description}>
      {(line) => (
        <CustomerZone id={customerId}>
          <Explanation of={line} about={['Customer', <CustomerName key="customer" id={customerId} />]} />
        </CustomerZone>
      )}
    </RecordPage>
  );
}
