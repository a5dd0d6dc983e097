import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeyboardEvent, ReactNode } from 'react';
import type { Action } from '../../actions/action.ts';
import type { Field } from '../../actions/field.ts';
import { Fields } from '../../actions/form-fields.tsx';
import { refusedToo } from '../../actions/refused-too.ts';
import { useAction } from '../../actions/use-action.ts';
import { type PostAnswerOf, write } from '../../api/client.ts';
import { stringifyExact } from '../../api/exact.ts';
import { Failure } from '../../api/failure.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Region } from '../../parts/region.tsx';
import { Calculated } from './calculated.tsx';

export type CalculatorPlan = {
  /** The plan as the body that makes it. */
  plan: Record<string, unknown>;
  /** Where the plan is being entered: hears what is wrong with its fields, which stands there and not here. */
  onRefused?: (refused: Failure | null) => void;
};

type CalculatorProps = CalculatorPlan & {
  title: string;
  about: string;
  button: string;
  /** What the preview of a plan takes beside the plan. */
  fields: readonly Field[];
  children?: ReactNode;
};

/** What a plan would bill by what is entered, before anything is made. */
export function Calculator({ plan, onRefused, title, about, button, fields, children }: CalculatorProps) {
  const action: Action = { name: title, call: { method: 'post', to: '/api/plans/preview' }, fields };
  const entered = useAction(action, () => {});
  const body = { ...plan, ...entered.body };
  const asked = stringifyExact(body);
  const calculation = useMutation({
    mutationFn: async (_asked: string) => (await write({ ...action.call, body })) as PostAnswerOf<'/api/plans/preview'>,
    onMutate: () => onRefused?.(null),
    onError: (error) => onRefused?.(isAboutPlan(error) ? error : null),
  });
  const { error, data } = calculation;
  const state = refusedToo(entered, error instanceof Failure ? error : null);
  const isElsewhere = onRefused !== undefined && isAboutPlan(error);
  const isAtFields = error instanceof Failure && error.status === 422 && !isAboutPlan(error);
  const onKeyDown = (event: KeyboardEvent) => {
    const isOfField = event.target instanceof HTMLInputElement && !event.defaultPrevented;
    if (event.key !== 'Enter' || !isOfField) return;
    // Where a plan is being entered, this stands in its form.
    event.preventDefault();
    calculation.mutate(asked);
  };
  return (
    <Region title={title}>
      <Stack onKeyDown={onKeyDown}>
        <Text size="sm">{about}</Text>
        {children}
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
          <Fields of={fields} state={state} />
        </SimpleGrid>
        <Group>
          <Button variant="default" size="xs" loading={calculation.isPending} onClick={() => calculation.mutate(asked)}>
            {button}
          </Button>
          {isElsewhere && (
            <Text size="sm" role="alert">
              Some fields of the plan are not valid yet.
            </Text>
          )}
        </Group>
        {error && !isElsewhere && !isAtFields && <FailureAlert error={error} />}
        {data && calculation.variables === asked && <Calculated of={data} />}
      </Stack>
    </Region>
  );
}

/** What is said beside the plan. */
const OWN = /^(quantities|usage|event|at)(\.|$)/;

/** Something of the plan itself is refused, not of what is calculated by it alone. */
function isAboutPlan(error: Error | null): error is Failure {
  if (!(error instanceof Failure) || error.status !== 422) return false;
  return Object.keys(error.fields).some((at) => !OWN.test(at));
}
