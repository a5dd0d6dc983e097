import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Action, bodyOf, errorOf } from '../../actions/action.ts';
import type { Entries } from '../../actions/entries.ts';
import { enteredIn } from '../../actions/entries.ts';
import type { ValueField } from '../../actions/field.ts';
import { FieldInput } from '../../actions/field-input.tsx';
import { type PostAnswerOf, write } from '../../api/client.ts';
import { stringifyExact } from '../../api/exact.ts';
import { Failure } from '../../api/failure.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { CustomerLink, EventLink } from '../../parts/links.tsx';
import { Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';

type MetricPreview = PostAnswerOf<'/api/metrics/preview'>;

/** Which events it is tried on. */
const EVENTS_TRIED: readonly ValueField[] = [
  { name: 'customer_id', help: 'All customers, where it is empty.' },
  { name: 'start', kind: 'date', help: '30 days before the end, where it is empty.' },
  { name: 'end', kind: 'date', help: 'Now, where it is empty.' },
];
const TRY: Action = { name: 'Try it out', call: { method: 'post', to: '/api/metrics/preview' }, fields: EVENTS_TRIED };

type MetricTryOutProps = {
  /** The metric as the body that makes it. */
  metric: Record<string, unknown>;
  /** Hears what is wrong with the metric's own fields, which stands there and not here. */
  onRefused: (refused: Failure | null) => void;
};

/** What a metric would count of the events that are there, before it is made. */
export function MetricTryOut({ metric, onRefused }: MetricTryOutProps) {
  const [entries, setEntries] = useState<Entries>({});
  const body = { ...metric, ...bodyOf(TRY, entries) };
  const asked = stringifyExact(body);
  const trial = useMutation({
    mutationFn: async (_asked: string) =>
      (await write({ method: 'post', to: '/api/metrics/preview', body })) as MetricPreview,
    onMutate: () => onRefused(null),
    onError: (error) => onRefused(error instanceof Failure && error.status === 422 ? error : null),
  });
  const { error, data } = trial;
  const refused = error instanceof Failure ? error.fields : {};
  const isElsewhere = Object.keys(refused).some((at) => !EVENTS_TRIED.some(({ name }) => name === at));
  return (
    <Region title="Try it out">
      <Stack>
        <Text size="sm">What it would count of the events that have arrived. Nothing is made by it.</Text>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {EVENTS_TRIED.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={enteredIn(field, entries)}
              error={errorOf(field.name, refused)}
              onChange={(text) => setEntries({ ...entries, [field.name]: text })}
            />
          ))}
        </SimpleGrid>
        <div>
          <Button variant="default" size="xs" loading={trial.isPending} onClick={() => trial.mutate(asked)}>
            Try it
          </Button>
        </div>
        {isElsewhere && (
          <Text size="sm" role="alert">
            Some fields of the metric are not valid yet.
          </Text>
        )}
        {error && Object.keys(refused).length === 0 && <FailureAlert error={error} />}
        {data && trial.variables === asked && <Tried of={data} />}
      </Stack>
    </Region>
  );
}

type Counted = MetricPreview['matched'][number];

const COUNTED: Column<Counted>[] = [
  { header: 'Event', cell: ({ idempotency_id }) => <EventLink id={idempotency_id} /> },
  { header: 'Customer', cell: ({ customer_id }) => <CustomerLink id={customer_id} /> },
  { header: 'Created', cell: ({ time_created }) => <Instant at={time_created} /> },
  { header: 'Properties', cell: ({ properties }) => stringifyExact(properties) },
];
const NOT_COUNTED: Column<MetricPreview['excluded'][number]>[] = [
  { header: 'Event', cell: ({ event }) => <EventLink id={event.idempotency_id} /> },
  { header: 'Because of', cell: ({ because }) => because },
  { header: 'Properties', cell: ({ event }) => stringifyExact(event.properties) },
];

function Tried({ of: { value, events_count, matched, excluded } }: { of: MetricPreview }) {
  return (
    <Stack aria-live="polite">
      <Facts
        of={[
          ['Value', <Quantity key="value" value={value} />],
          ['Events counted', <Quantity key="count" value={events_count} />],
        ]}
        cols={2}
      />
      <Region title="Counted">
        <DataTable
          columns={COUNTED}
          rows={matched}
          rowKey={({ idempotency_id }) => idempotency_id}
          empty="No event is counted"
        />
      </Region>
      <Region title="Not counted">
        <DataTable
          columns={NOT_COUNTED}
          rows={excluded}
          rowKey={({ event }) => event.idempotency_id}
          empty="No event is left out"
        />
      </Region>
    </Stack>
  );
}
