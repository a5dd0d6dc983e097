import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Field, ListField, ValueField } from '../../actions/field.ts';
import { recordQuery } from '../../api/queries.ts';
import type { Combination } from '../../bills/price-row.tsx';
import { Calculator, type CalculatorPlan } from './calculator.tsx';

/** What of a component decides how its usage is said: of a price book by combination. */
export type CalculatedComponent = {
  metric_id: string;
  group_by?: readonly string[] | null;
  prices?: readonly { when?: Combination }[] | null;
};

type PriceCalculatorProps = CalculatorPlan & {
  components: readonly CalculatedComponent[];
  /** What is chosen beside the quantities. */
  children?: ReactNode;
};

/** What a plan would bill for a period with some usage, by the code that bills. */
export function PriceCalculator({ components, children, ...plan }: PriceCalculatorProps) {
  const billed = [...new Map(components.map((one) => [one.metric_id, one])).values()].filter((one) => one.metric_id);
  const nameOf = useMetricNames(billed.map(({ metric_id }) => metric_id));
  const booked = billed.filter(hasBook);
  const fields: Field[] = billed
    .filter((one) => !hasBook(one))
    .map(({ metric_id }) => ({ ...QUANTITY, name: `quantities.${metric_id}`, label: nameOf(metric_id) }));
  if (booked.length > 0) fields.push(AT, usageField(booked, nameOf));
  return (
    <Calculator
      {...plan}
      title="Price calculator"
      about="What a whole period in the middle of a subscription would cost, without tax and credits."
      button="Calculate"
      fields={fields}
    >
      {children}
    </Calculator>
  );
}

/** What one event would cost by a plan, and which of its metrics count it. */
export function EventCalculator(plan: CalculatorPlan) {
  return (
    <Calculator
      {...plan}
      title="Try an event"
      about="What the plan makes of one event that is all there is in a period. Nothing is sent."
      button="Try it"
      fields={EVENT}
    />
  );
}

const QUANTITY = { kind: 'number', placeholder: '0' } as const;
const AT: ValueField = { name: 'at', label: 'On', kind: 'date', help: 'Today, where it is empty.' };
const EVENT: readonly ValueField[] = [
  { name: 'event.event_name', label: 'Event name', isRequired: true },
  { name: 'event.properties', label: 'Properties', kind: 'pairs', placeholder: 'model=gpt-5' },
  AT,
];

function hasBook({ group_by }: CalculatedComponent): boolean {
  return !!group_by?.length;
}

/** Quantities of combinations of metrics with a price book. */
function usageField(booked: readonly CalculatedComponent[], nameOf: (id: string) => string): ListField {
  const metrics = booked.map(({ metric_id }) => ({ value: metric_id, label: nameOf(metric_id) }));
  const initial = metrics.length === 1 ? metrics[0]?.value : undefined;
  return {
    name: 'usage',
    kind: 'list',
    rowName: 'quantity',
    row: (entered) => {
      const id = entered('metric_id') || initial;
      const prices = booked.find(({ metric_id }) => metric_id === id)?.prices ?? [];
      const options = [...new Set(prices.flatMap(({ when = {} }) => pairsOf(when)))];
      return [
        {
          name: 'metric_id',
          label: 'Metric',
          kind: 'choice',
          options: metrics,
          isRequired: true,
          ...(initial && { initial }),
        },
        { name: 'properties', kind: 'pairs', options, placeholder: 'model=gpt-5' },
        { ...QUANTITY, name: 'quantity', isRequired: true },
      ];
    },
  };
}

function pairsOf(when: Combination): string[] {
  return Object.entries(when).map(([name, text]) => `${name}=${text ?? ''}`);
}

function useMetricNames(ids: readonly string[]): (id: string) => string {
  const metrics = useQueries({
    queries: ids.map((id) => recordQuery('/api/metrics/{metric_id}', { path: { metric_id: id } })),
  });
  return (id) => metrics[ids.indexOf(id)]?.data?.metric_name ?? id;
}
