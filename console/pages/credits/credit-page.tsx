import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import type { AnswerOf } from '../../api/client.ts';
import { recordQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, InvoiceLink } from '../../parts/links.tsx';
import { Money, None } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { CustomerZone } from '../customers/customer-zone.tsx';

type Credit = AnswerOf<'/api/credits/{credit_id}'>;

/** A credit and the invoices that it was applied to. */
export function CreditPage() {
  const { creditId = '' } = useParams({ strict: false });
  const credit = useQuery(recordQuery('/api/credits/{credit_id}', { path: { credit_id: creditId } }));
  return (
    <RecordPage
      query={credit}
      id={creditId}
      title={({ credit_id }) => credit_id}
      actions={(one) => <Actions of={one} />}
    >
      {(one) => (
        <CustomerZone id={one.customer_id}>
          <Region title="Details">
            <Facts of={detailsOf(one)} />
          </Region>
          <Region title="Applied to">
            <DataTable
              columns={applicationsOf(one)}
              rows={one.applications}
              rowKey={({ invoice_id, applied_at }) => `${invoice_id} ${applied_at}`}
              empty="Not applied to an invoice yet"
            />
          </Region>
        </CustomerZone>
      )}
    </RecordPage>
  );
}

function Actions({ of: { credit_id, status, expires_at, description } }: { of: Credit }) {
  if (status !== 'active') return null;
  const path = { credit_id };
  return (
    <>
      <ActionButton
        action={{
          name: 'Edit',
          call: { method: 'post', to: '/api/credits/{credit_id}/update', path },
          isChange: true,
          fields: [
            { name: 'expires_at', kind: 'date', initial: expires_at ?? '' },
            { name: 'description', initial: description ?? '' },
          ],
        }}
      />
      <ActionButton
        action={{
          name: 'Void credit',
          about: 'What is left of it can no longer be applied.',
          call: { method: 'post', to: '/api/credits/{credit_id}/void', path },
          isFinal: true,
        }}
      />
    </>
  );
}

function detailsOf(credit: Credit): [string, React.ReactNode][] {
  const { currency } = credit;
  return [
    ['Customer', <CustomerLink key="customer" id={credit.customer_id} />],
    ['Status', <Status key="status" of={credit.status} />],
    ['Amount', <Money key="amount" value={credit.amount} currency={currency} />],
    ['Remaining', <Money key="remaining" value={credit.amount_remaining} currency={currency} />],
    ['Reason', wordsOf(credit.reason)],
    ['Description', credit.description ?? <None />],
    ['Expires', <CalendarDate key="expires" date={credit.expires_at} />],
    ['Created', <Instant key="created" at={credit.created_at} />],
    ['Voided', <Instant key="voided" at={credit.voided_at} />],
  ];
}

function applicationsOf({ currency }: Credit): Column<Credit['applications'][number]>[] {
  return [
    { header: 'Invoice', cell: ({ invoice_id }) => <InvoiceLink id={invoice_id} /> },
    { header: 'Amount', cell: ({ amount }) => <Money value={amount} currency={currency} />, isNumber: true },
    { header: 'Applied', cell: ({ applied_at }) => <Instant at={applied_at} /> },
  ];
}
