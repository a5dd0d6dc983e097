import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { stringifyExact } from '../api/exact.ts';
import { type Explained, type ExplainedEvent, Explanation } from '../bills/explanation.tsx';
import { useAddress } from '../parts/address.ts';
import { AnchorLink } from '../parts/anchor-link.tsx';
import type { Column } from '../parts/data-table.tsx';
import { RecordPage } from '../parts/record.tsx';
import { Instant } from '../parts/times.tsx';
import { views } from './views.ts';

const EVENTS: Column<ExplainedEvent>[] = [
  { header: 'Event', cell: ({ idempotency_id }) => idempotency_id },
  { header: 'Name', cell: ({ event_name }) => event_name },
  { header: 'Created', cell: ({ time_created }) => <Instant at={time_created} /> },
  { header: 'Properties', cell: ({ properties }) => stringifyExact(properties) },
];

/** A line of an invoice, explained. */
export function LinePage() {
  const { invoiceId = '', lineId = '' } = useParams({ strict: false });
  const [{ cursor }] = useAddress();
  const explained = useQuery(views.line(invoiceId, lineId, { cursor }));
  return (
    <RecordPage query={explained} id={lineId} title={({ description }) => description}>
      {(line) => (
        <Explanation
          of={line}
          facts={[
            [
              'Invoice',
              <AnchorLink key="invoice" to="/invoices/$invoiceId" params={{ invoiceId }} inherit>
                {line.invoice_number}
              </AnchorLink>,
            ],
            metricFact(line),
          ]}
          eventColumns={EVENTS}
        />
      )}
    </RecordPage>
  );
}

/** A line of the upcoming invoice, explained as it is now. */
export function DraftLinePage() {
  const [address] = useAddress();
  const explained = useQuery(views.draftLine(address));
  return (
    <RecordPage query={explained} id="Upcoming invoice" title={({ description }) => description}>
      {(line) => <Explanation of={line} facts={[['Invoice', 'Upcoming'], metricFact(line)]} eventColumns={EVENTS} />}
    </RecordPage>
  );
}

function metricFact({ metric }: Explained): [string, ReactNode] {
  return ['Metric', metric?.metric_name ?? null];
}
