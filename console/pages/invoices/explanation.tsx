import { Text } from '@mantine/core';
import type { AnswerOf } from '../../api/client.ts';
import { changed, useAddress } from '../../parts/address.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { Money, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { EVENT_COLUMNS } from '../events/event-columns.tsx';

type Explained = Pick<
  AnswerOf<'/api/invoices/{invoice_id}/lines/{line_id}/explain'>,
  'type' | 'currency' | 'metric' | 'window' | 'steps' | 'total' | 'events'
>;

/** Why a line costs what it costs: from the events that were counted to the amount. `about`: whose line it is. */
export function Explanation({ of: line, about }: { of: Explained; about: [string, React.ReactNode] }) {
  return (
    <>
      <Region title="Details">
        <Facts
          of={[
            about,
            ['Type', wordsOf(line.type)],
            ['Metric', line.metric && <MetricLink id={line.metric.metric_id}>{line.metric.metric_name}</MetricLink>],
            ['Counted from', line.window && <Instant at={line.window.start} />],
            ['Counted to', line.window && <Instant at={line.window.end} />],
            ['Total', <Money key="total" value={line.total} currency={line.currency} />],
          ]}
        />
      </Region>
      <Region title="Steps">
        <DataTable
          columns={STEPS}
          rows={line.steps}
          rowKey={(step) => String(line.steps.indexOf(step))}
          empty="No steps"
        />
      </Region>
      <Region title="Events">
        <Events of={line.events} />
      </Region>
    </>
  );
}

const STEPS: Column<Explained['steps'][number]>[] = [
  { header: 'Step', cell: ({ step }) => wordsOf(step) },
  { header: 'What', cell: ({ text }) => text },
  { header: 'Value', cell: ({ value }) => <Quantity value={value} />, isNumber: true },
];

/** The events of a line are in one order, which is not chosen here. */
const EVENTS = EVENT_COLUMNS.map(({ header, cell }) => ({ header, cell }));

function Events({ of: events }: { of: Explained['events'] }) {
  const [address] = useAddress();
  if (!events) return <Text c="dimmed">This line counts no events.</Text>;
  return (
    <>
      <DataTable
        columns={EVENTS}
        rows={events.results}
        rowKey={({ idempotency_id }) => idempotency_id}
        empty="No events were counted"
      />
      {events.next_cursor && (
        <AnchorLink to="." search={changed(address, { cursor: events.next_cursor })} size="sm">
          Next
        </AnchorLink>
      )}
    </>
  );
}
