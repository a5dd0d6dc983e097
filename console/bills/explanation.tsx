import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { changed, useAddress } from '../parts/address.ts';
import { AnchorLink } from '../parts/anchor-link.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { Money, Quantity } from '../parts/numbers.tsx';
import { Region } from '../parts/region.tsx';
import { Instant } from '../parts/times.tsx';
import { wordsOf } from '../parts/words.ts';
import { LineBasis } from './line-basis.tsx';

export type Explained = Pick<
  AnswerOf<'/api/invoices/{invoice_id}/lines/{line_id}/explain'>,
  'type' | 'currency' | 'metric' | 'window' | 'steps' | 'total' | 'events' | 'group' | 'price' | 'limit' | 'discount'
>;
export type ExplainedEvent = NonNullable<Explained['events']>['results'][number];

type ExplanationProps = {
  of: Explained;
  /** What the line stands in, and what it counts. */
  facts: readonly (readonly [string, ReactNode])[];
  eventColumns: readonly Column<ExplainedEvent>[];
  /** What else is told of it. */
  children?: ReactNode;
};

/** Why a line costs what it costs: from the events that were counted to the amount. */
export function Explanation({ of: line, facts, eventColumns, children }: ExplanationProps) {
  return (
    <>
      <Region title="Details">
        <Facts
          of={[
            ...facts,
            ['Type', wordsOf(line.type)],
            ['Counted from', line.window && <Instant at={line.window.start} />],
            ['Counted to', line.window && <Instant at={line.window.end} />],
            ['Total', <Money key="total" value={line.total} currency={line.currency} />],
          ]}
        />
      </Region>
      <LineBasis of={line} />
      {children}
      <Region title="Steps">
        <Steps of={line.steps} />
      </Region>
      <Region title="Events">
        <Events of={line.events} columns={eventColumns} />
      </Region>
    </>
  );
}

type Step = Explained['steps'][number];

const STEPS: Column<Step>[] = [
  { header: 'Step', cell: ({ step }) => wordsOf(step) },
  { header: 'What', cell: ({ text }) => text },
  { header: 'Value', cell: ({ value }) => <Quantity value={value} />, isNumber: true },
];

/** The arithmetic of a line. */
export function Steps({ of: steps }: { of: Step[] }) {
  return <DataTable columns={STEPS} rows={steps} rowKey={(step) => String(steps.indexOf(step))} empty="No steps" />;
}

type EventsProps = { of: Explained['events']; columns: ExplanationProps['eventColumns'] };

function Events({ of: events, columns }: EventsProps) {
  const [address] = useAddress();
  if (!events) return <Text c="dimmed">This line counts no events.</Text>;
  return (
    <>
      <DataTable
        columns={columns}
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
