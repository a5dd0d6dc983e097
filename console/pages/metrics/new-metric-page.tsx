import { SimpleGrid, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionForm } from '../../actions/action-form.tsx';
import { Fields } from '../../actions/form-fields.tsx';
import { refusedToo } from '../../actions/refused-too.ts';
import { useAction } from '../../actions/use-action.ts';
import type { Failure } from '../../api/failure.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { type Metric, NEW_METRIC } from './metric-actions.ts';
import { MetricTryOut } from './metric-try-out.tsx';

/** A metric is made: what of which events is counted; before that it is tried on those that are there. */
export function NewMetricPage() {
  const navigate = useNavigate();
  const [refused, setRefused] = useState<Failure | null>(null);
  const entered = useAction(NEW_METRIC, (made) =>
    navigate({ to: '/metrics/$metricId', params: { metricId: (made as Metric).metric_id } }),
  );
  const state = refusedToo(entered, refused);
  return (
    <>
      <PageHead title="New metric" />
      <ActionForm state={state} onCancel={() => void navigate({ to: '/metrics' })}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Fields of={NEW_METRIC.fields ?? []} state={state} />
          </SimpleGrid>
          <MetricTryOut metric={state.body} onRefused={setRefused} />
        </Stack>
      </ActionForm>
    </>
  );
}
