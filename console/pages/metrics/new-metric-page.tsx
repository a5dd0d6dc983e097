import { Paper } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ActionForm } from '../../actions/action-form.tsx';
import { useAction } from '../../actions/use-action.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { type Metric, NEW_METRIC } from './metric-actions.ts';

/** A metric is made: what of which events is counted. */
export function NewMetricPage() {
  const navigate = useNavigate();
  const state = useAction(NEW_METRIC, (made) =>
    navigate({ to: '/metrics/$metricId', params: { metricId: (made as Metric).metric_id } }),
  );
  return (
    <>
      <PageHead title="New metric" />
      <Paper maw={640}>
        <ActionForm state={state} onCancel={() => void navigate({ to: '/metrics' })} />
      </Paper>
    </>
  );
}
