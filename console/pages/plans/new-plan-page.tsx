import { Button, Group, Paper, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Action } from '../../actions/action.ts';
import { ActionForm, Fields } from '../../actions/action-form.tsx';
import { type ActionState, useAction } from '../../actions/use-action.ts';
import { listQuery } from '../../api/queries.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import type { Plan } from './plan-columns.tsx';
import { componentFields, featureFields, PLAN_FIELDS, type PricingModel } from './plan-fields.ts';

const MODEL_FIELD = /^components\.\d+\.pricing_model$/;

/** A plan is made: its fee, what units of metrics cost, what it includes. */
export function NewPlanPage() {
  const navigate = useNavigate();
  const metrics = useQuery(listQuery('/api/metrics', { query: { page_size: '200' } }));
  const [components, setComponents] = useState<PricingModel[]>([]);
  const [features, setFeatures] = useState(0);
  const options = (metrics.data?.results ?? []).map(({ metric_id, metric_name }) => ({
    value: metric_id,
    label: metric_name,
  }));
  const ofComponents = components.map((model, index) => componentFields(index, model, options));
  const ofFeatures = Array.from({ length: features }, (_, index) => featureFields(index, options));
  const action: Action = {
    name: 'New plan',
    call: { method: 'post', to: '/api/plans' },
    fields: [...PLAN_FIELDS, ...ofComponents.flat(), ...ofFeatures.flat()],
  };
  const entered = useAction(action, (made) =>
    navigate({ to: '/plans/$planId', params: { planId: (made as Plan).plan_id } }),
  );
  // Which fields a component has follows from its pricing model.
  const change: ActionState['change'] = (name, value) => {
    entered.change(name, value);
    const [, at] = name.split('.');
    if (MODEL_FIELD.test(name)) setComponents(components.with(Number(at), value as PricingModel));
  };
  const state = { ...entered, change };
  return (
    <>
      <PageHead title="New plan" />
      <ActionForm state={state} onCancel={() => void navigate({ to: '/plans' })}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Fields of={PLAN_FIELDS} state={state} />
          </SimpleGrid>
          <Region title="Components">
            <Parts of={ofComponents} state={state} />
            <Group mt="sm">
              <Button variant="default" size="xs" onClick={() => setComponents([...components, 'per_unit'])}>
                Add component
              </Button>
              {components.length > 0 && (
                <Button variant="default" size="xs" onClick={() => setComponents(components.slice(0, -1))}>
                  Remove last component
                </Button>
              )}
            </Group>
          </Region>
          <Region title="Features">
            <Parts of={ofFeatures} state={state} />
            <Button mt="sm" variant="default" size="xs" onClick={() => setFeatures(features + 1)}>
              Add feature
            </Button>
          </Region>
        </Stack>
      </ActionForm>
    </>
  );
}

function Parts({ of: parts, state }: { of: Action['fields'][]; state: ActionState }) {
  return parts.map((fields = []) => (
    <Paper key={fields[0]?.name} withBorder p="sm" mt="sm">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <Fields of={fields} state={state} />
      </SimpleGrid>
    </Paper>
  ));
}
