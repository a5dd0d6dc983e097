import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Action } from '../../actions/action.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import { Limits } from '../../bills/prices.tsx';
import { useMay } from '../../frame/scopes.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { List, ListPage } from '../../parts/list-page.tsx';
import { Money } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { addPrice } from './add-price.tsx';
import { Overrides } from './overrides.tsx';
import { componentColumns, FEATURE_COLUMNS, PLAN_COLUMNS, type Plan } from './plan-columns.tsx';
import { type MetricOptions, nextVersion } from './plan-fields.ts';
import { PriceBook } from './price-book.tsx';
import { useMetricOptions } from './use-metric-options.ts';
import { VersionCalculator } from './version-calculator.tsx';

export function PlansPage() {
  const navigate = useNavigate();
  const mayWrite = useMay('write');
  return (
    <ListPage
      title="Plans"
      path="/api/plans"
      things="plans"
      columns={PLAN_COLUMNS}
      rowKey={({ plan_id }) => plan_id}
      actions={
        mayWrite && (
          <Button size="xs" variant="default" onClick={() => void navigate({ to: '/plans/new' })}>
            New plan
          </Button>
        )
      }
    />
  );
}

/** A plan as it is sold now, and its versions: subscriptions stay on theirs. */
export function PlanPage() {
  const { planId = '' } = useParams({ strict: false });
  const path = { plan_id: planId };
  const plan = useQuery(recordQuery('/api/plans/{plan_id}', { path }));
  const metrics = useMetricOptions();
  return (
    <RecordPage
      query={plan}
      id={planId}
      title={({ name }) => name}
      actions={(one) => planActions(one, metrics).map((action) => <ActionButton key={action.name} action={action} />)}
    >
      {(one) => (
        <>
          <Region title="Details">
            <Facts of={detailsOf(one)} />
          </Region>
          <Region title="Components">
            <DataTable
              columns={componentColumns(one)}
              rows={one.components}
              rowKey={({ component_id }) => component_id}
              empty="No components: usage costs nothing"
            />
          </Region>
          {one.components.map((component) => (
            <PriceBook
              key={component.component_id}
              title={`Price book of ${metricName(component.metric_id, metrics)}`}
              of={component}
              currency={one.currency}
              actions={<ActionButton action={addPrice(one.plan_id, component.metric_id)} />}
            />
          ))}
          {Object.entries(one.currency_options ?? {}).map(([currency, option]) => (
            <Overrides key={currency} title={`In ${currency.toUpperCase()}`} of={option} currency={currency} />
          ))}
          <Region title="Features">
            <DataTable
              columns={FEATURE_COLUMNS}
              rows={one.features}
              rowKey={({ feature_id }) => feature_id}
              empty="No features yet"
            />
          </Region>
          <VersionCalculator plan={one} />
          <Region title="Versions">
            <List
              path="/api/plans/{plan_id}/versions"
              parameters={{ path }}
              things="versions"
              columns={PLAN_COLUMNS}
              rowKey={({ version_id }) => version_id}
            />
          </Region>
        </>
      )}
    </RecordPage>
  );
}

function metricName(id: string, metrics: MetricOptions): string {
  return metrics.find(({ value }) => value === id)?.label ?? id;
}

function detailsOf(plan: Plan): [string, React.ReactNode][] {
  return [
    ['Recurring fee', <Money key="fee" value={plan.recurring_fee} currency={plan.currency} />],
    ['Billing period', wordsOf(plan.billing_period)],
    ['Billing calendar', calendarOf(plan)],
    ['Usage period', wordsOf(plan.usage_period)],
    ['Charge timing', wordsOf(plan.charge_timing)],
    ['Trial', trialOf(plan)],
    ['Limits', <Limits key="limits" of={plan} currency={plan.currency} />],
    ['Status', <Status key="status" of={plan.status} />],
    ['Version', plan.version],
    ['Plan ID', plan.plan_id],
    ['Created', <Instant key="created" at={plan.created_at} />],
  ];
}

function trialOf({ trial_days, bill_usage_in_trial }: Plan): string | null {
  return !trial_days ? null : `${trial_days} days, ${bill_usage_in_trial ? 'usage is billed' : 'usage is free'}`;
}

function calendarOf({ billing_calendar, anchor_day }: Plan): string {
  const words = wordsOf(billing_calendar);
  return anchor_day === null ? words : `${words}, from day ${anchor_day} on`;
}

function planActions(plan: Plan, metrics: MetricOptions): Action[] {
  const { plan_id, status } = plan;
  if (status !== 'active') return [];
  const path = { plan_id };
  return [
    {
      name: 'Edit',
      about: 'Makes a new version. Subscriptions that exist stay on theirs.',
      call: { method: 'patch', to: '/api/plans/{plan_id}', path },
      ...nextVersion(plan, metrics),
    },
    {
      name: 'Archive plan',
      about: 'Nobody can subscribe to it any more; subscriptions that exist go on.',
      call: { method: 'post', to: '/api/plans/{plan_id}/archive', path },
      isFinal: true,
    },
  ];
}
