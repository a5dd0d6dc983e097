import { SimpleGrid, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Action } from '../../actions/action.ts';
import { ActionForm } from '../../actions/action-form.tsx';
import { Fields } from '../../actions/form-fields.tsx';
import { refusedToo } from '../../actions/refused-too.ts';
import { type ActionState, useAction } from '../../actions/use-action.ts';
import type { Failure } from '../../api/failure.ts';
import { PageHead } from '../../parts/page-head.tsx';
import type { Plan } from './plan-columns.tsx';
import { PLAN_FIELDS, priceFields } from './plan-fields.ts';
import { type CalculatedComponent, PriceCalculator } from './price-calculator.tsx';
import { useMetricOptions } from './use-metric-options.ts';

/** A plan is made: its fee, what units of metrics cost, what it includes; and what a period of it would cost. */
export function NewPlanPage() {
  const navigate = useNavigate();
  const prices = priceFields(useMetricOptions());
  const [refused, setRefused] = useState<Failure | null>(null);
  const action: Action = {
    name: 'New plan',
    call: { method: 'post', to: '/api/plans' },
    fields: [...PLAN_FIELDS, ...prices],
  };
  const entered = useAction(action, (made) =>
    navigate({ to: '/plans/$planId', params: { planId: (made as Plan).plan_id } }),
  );
  const state = refusedToo(entered, refused);
  return (
    <>
      <PageHead title="New plan" />
      <ActionForm state={state} onCancel={() => void navigate({ to: '/plans' })}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Fields of={PLAN_FIELDS} state={state} />
          </SimpleGrid>
          <Fields of={prices} state={state} />
          <PriceCalculator plan={state.body} components={componentsOf(state)} onRefused={setRefused} />
        </Stack>
      </ActionForm>
    </>
  );
}

function componentsOf({ body }: ActionState): CalculatedComponent[] {
  const entered = (body.components ?? []) as Partial<CalculatedComponent>[];
  return entered.map((one) => ({ metric_id: '', ...one }));
}
