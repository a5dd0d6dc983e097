import { useQuery } from '@tanstack/react-query';
import type { RecordOf } from '../../api/client.ts';
import { LIVE_MS, listQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { InvoiceLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';

type Step = RecordOf<'/api/subscriptions/{subscription_id}/timeline'>;

const COLUMNS: Column<Step>[] = [
  { header: 'At', cell: ({ at }) => <Instant at={at} /> },
  { header: 'What', cell: ({ kind }) => wordsOf(kind) },
  { header: 'Detail', cell: ({ detail }) => detail },
  { header: 'Invoice', cell: ({ invoice_id }) => <InvoiceLink id={invoice_id} /> },
  { header: 'Due', cell: ({ due_at }) => <Instant at={due_at} /> },
];

/** What is planned for a subscription, soonest first, and what has been done, newest first. */
export function SubscriptionSteps({ id }: { id: string }) {
  const steps = useQuery({
    ...listQuery('/api/subscriptions/{subscription_id}/timeline', {
      path: { subscription_id: id },
      query: { page_size: '200' },
    }),
    refetchInterval: LIVE_MS,
  });
  return (
    <>
      <Region title="What happens next">
        <Loaded query={steps}>
          {({ results }) => <Steps of={results} status="planned" empty="Nothing is planned" />}
        </Loaded>
      </Region>
      <Region title="Timeline">
        <Loaded query={steps}>
          {({ results }) => <Steps of={results} status="done" empty="Nothing has happened yet" />}
        </Loaded>
      </Region>
    </>
  );
}

function Steps({ of: steps, status, empty }: { of: Step[]; status: Step['status']; empty: string }) {
  const own = steps.filter((step) => step.status === status);
  const order = status === 'planned' ? 1 : -1;
  const sorted = own.toSorted((a, b) => (a.at < b.at ? -order : a.at > b.at ? order : 0));
  return (
    <DataTable
      columns={COLUMNS}
      rows={sorted}
      rowKey={(step) => `${step.at} ${step.kind} ${sorted.indexOf(step)}`}
      empty={empty}
    />
  );
}
