import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { errorOf } from '../../actions/action.ts';
import { type PostAnswerOf, write } from '../../api/client.ts';
import { exactOf, stringifyExact } from '../../api/exact.ts';
import { Failure } from '../../api/failure.ts';
import { recordQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Money, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';

type PlanPreview = PostAnswerOf<'/api/plans/preview'>;

type PriceCalculatorProps = {
  /** The plan as the body that makes it. */
  plan: Record<string, unknown>;
  /** The metrics that it bills. */
  metricIds: readonly string[];
  /** Where the plan is being entered: hears what is wrong with its fields, which stands there and not here. */
  onRefused?: (refused: Failure | null) => void;
  /** What is chosen beside the quantities. */
  children?: ReactNode;
};

/** What a plan would bill for a period with some usage, by the code that bills. */
export function PriceCalculator({ plan, metricIds, onRefused, children }: PriceCalculatorProps) {
  const [entered, setEntered] = useState<Record<string, string>>({});
  const billed = [...new Set(metricIds)].filter((id) => id !== '');
  const body = { ...plan, quantities: quantitiesOf(billed, entered) };
  const asked = stringifyExact(body);
  const calculation = useMutation({
    mutationFn: async (_asked: string) =>
      (await write({ method: 'post', to: '/api/plans/preview', body })) as PlanPreview,
    onMutate: () => onRefused?.(null),
    onError: (error) => onRefused?.(isAboutPlan(error) ? error : null),
  });
  const { error, data } = calculation;
  const refused = error instanceof Failure ? error.fields : {};
  const isElsewhere = onRefused !== undefined && isAboutPlan(error);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Where a plan is being entered, this stands in its form.
    event.preventDefault();
    calculation.mutate(asked);
  };
  return (
    <Region title="Price calculator">
      <Stack>
        <Text size="sm">What a whole period in the middle of a subscription would cost, without tax and credits.</Text>
        {children}
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
          {billed.map((id) => (
            <QuantityInput
              key={id}
              metricId={id}
              value={entered[id] ?? ''}
              error={errorOf(`quantities.${id}`, refused)}
              onChange={(text) => setEntered({ ...entered, [id]: text })}
              onKeyDown={onKeyDown}
            />
          ))}
        </SimpleGrid>
        <Group>
          <Button variant="default" size="xs" loading={calculation.isPending} onClick={() => calculation.mutate(asked)}>
            Calculate
          </Button>
          {isElsewhere && (
            <Text size="sm" role="alert">
              Some fields of the plan are not valid yet.
            </Text>
          )}
        </Group>
        {error && !isElsewhere && !Object.keys(refused).every((at) => at.startsWith('quantities.')) && (
          <FailureAlert error={error} />
        )}
        {data && calculation.variables === asked && <Calculated of={data} />}
      </Stack>
    </Region>
  );
}

function quantitiesOf(metricIds: readonly string[], entered: Record<string, string>): Record<string, unknown> {
  const filled = metricIds.map((id) => [id, entered[id]?.trim() ?? ''] as const).filter(([, text]) => text !== '');
  return Object.fromEntries(filled.map(([id, text]) => [id, exactOf(text) ?? text]));
}

/** Something of the plan itself is refused, not of the quantities alone. */
function isAboutPlan(error: Error | null): error is Failure {
  if (!(error instanceof Failure) || error.status !== 422) return false;
  return Object.keys(error.fields).some((at) => !at.startsWith('quantities.'));
}

type QuantityInputProps = {
  metricId: string;
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

function QuantityInput({ metricId, value, error, onChange, onKeyDown }: QuantityInputProps) {
  const metric = useQuery(recordQuery('/api/metrics/{metric_id}', { path: { metric_id: metricId } }));
  return (
    <TextInput
      label={metric.data?.metric_name ?? metricId}
      inputMode="decimal"
      placeholder="0"
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function Calculated({ of: { currency, lines, subtotal } }: { of: PlanPreview }) {
  const columns: Column<PlanPreview['lines'][number]>[] = [
    { header: 'Description', cell: ({ description }) => description },
    { header: 'Quantity', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
    {
      header: 'How',
      cell: ({ steps }) =>
        steps.map(({ step, text, value }) => (
          <div key={`${step} ${text}`}>
            {text}: <Quantity value={value} />
          </div>
        )),
    },
    { header: 'Amount', cell: ({ amount }) => <Money value={amount} currency={currency} />, isNumber: true },
  ];
  return (
    <div aria-live="polite">
      <DataTable
        columns={columns}
        rows={lines}
        rowKey={(line) => String(lines.indexOf(line))}
        empty="Nothing would be billed"
      />
      <Text ta="right" fw={600} size="sm" mt="xs">
        Subtotal <Money value={subtotal} currency={currency} />
      </Text>
    </div>
  );
}
