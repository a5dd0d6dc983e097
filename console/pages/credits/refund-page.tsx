import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import type { AnswerOf } from '../../api/client.ts';
import { recordQuery } from '../../api/queries.ts';
import { Facts } from '../../parts/facts.tsx';
import { CreditLink, CustomerLink, InvoiceLink } from '../../parts/links.tsx';
import { Money, None } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { CustomerZone } from '../customers/customer-zone.tsx';

type Refund = AnswerOf<'/api/refunds/{refund_id}'>;

/** Money that goes back to a customer, and how far that is. */
export function RefundPage() {
  const { refundId = '' } = useParams({ strict: false });
  const refund = useQuery(recordQuery('/api/refunds/{refund_id}', { path: { refund_id: refundId } }));
  return (
    <RecordPage
      query={refund}
      id={refundId}
      title={({ refund_id }) => refund_id}
      actions={(one) => <Actions of={one} />}
    >
      {(one) => (
        <CustomerZone id={one.customer_id}>
          <Region title="Details">
            <Facts of={detailsOf(one)} />
          </Region>
        </CustomerZone>
      )}
    </RecordPage>
  );
}

function Actions({ of: { refund_id, status } }: { of: Refund }) {
  if (status !== 'pending') return null;
  const path = { refund_id };
  return (
    <>
      <ActionButton
        action={{
          name: 'Complete refund',
          about: 'The money has gone back.',
          call: { method: 'post', to: '/api/refunds/{refund_id}/complete', path },
          isFinal: true,
        }}
      />
      <ActionButton
        action={{
          name: 'Cancel refund',
          call: { method: 'post', to: '/api/refunds/{refund_id}/cancel', path },
          isFinal: true,
        }}
      />
    </>
  );
}

function detailsOf(refund: Refund): [string, React.ReactNode][] {
  return [
    ['Customer', <CustomerLink key="customer" id={refund.customer_id} />],
    ['Invoice', <InvoiceLink key="invoice" id={refund.invoice_id} />],
    ['Status', <Status key="status" of={refund.status} />],
    ['Amount', <Money key="amount" value={refund.amount} currency={refund.currency} />],
    ['Method', wordsOf(refund.method)],
    ['Reason', refund.reason ? wordsOf(refund.reason) : <None />],
    ['Description', refund.description ?? <None />],
    ['Credit', <CreditLink key="credit" id={refund.credit_id} />],
    ['Expected by', <CalendarDate key="expected" date={refund.expected_by} />],
    ['Created', <Instant key="created" at={refund.created_at} />],
    ['Completed', <Instant key="completed" at={refund.completed_at} />],
  ];
}
