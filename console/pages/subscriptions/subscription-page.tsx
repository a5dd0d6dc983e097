import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { LIVE_MS, recordQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { AddonLink, MetricLink, PlanLink, SubscriptionLink } from '../../parts/links.tsx';
import { Quantity } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { CustomerName, CustomerZone } from '../customers/customer-zone.tsx';
import { Overrides } from '../plans/overrides.tsx';
import { Discounts } from './discounts.tsx';
import { changePhases, Phases } from './phases.tsx';
import { cancelAddon, type Subscription, subscriptionActions } from './subscription-actions.ts';
import { SubscriptionSteps } from './subscription-steps.tsx';
import { WorkflowLink } from './workflow-link.tsx';

/** A subscription: what happens next to it, what has happened, what it pays for ahead. */
export function SubscriptionPage() {
  const { subscriptionId = '' } = useParams({ strict: false });
  const subscription = useQuery({
    ...recordQuery('/api/subscriptions/{subscription_id}', { path: { subscription_id: subscriptionId } }),
    refetchInterval: LIVE_MS,
  });
  return (
    <RecordPage
      query={subscription}
      id={subscriptionId}
      title={({ subscription_id }) => subscription_id}
      actions={(one) => (
        <>
          <WorkflowLink id={one.subscription_id} />
          {subscriptionActions(one).map((action) => (
            <ActionButton key={action.name} action={action} />
          ))}
          {one.status === 'active' && <ActionButton action={changePhases(one)} />}
        </>
      )}
    >
      {(one) => (
        <CustomerZone id={one.customer_id}>
          <Region title="Details">
            <Facts of={detailsOf(one)} />
          </Region>
          <Phases of={one} />
          {one.overrides && <Overrides title="Overrides" of={one.overrides} currency={one.currency} />}
          <SubscriptionSteps id={one.subscription_id} />
          <Region title="Add-ons">
            <DataTable
              columns={addonColumns(one)}
              rows={one.addons}
              rowKey={({ addon_subscription_id }) => addon_subscription_id}
              empty="No add-ons yet"
            />
          </Region>
          <Discounts subscriptionId={one.subscription_id} />
          <Region title="Prepaid units">
            <DataTable
              columns={PREPAID}
              rows={one.prepaid_units}
              rowKey={({ metric_id }) => metric_id}
              empty="No prepaid units yet"
            />
          </Region>
        </CustomerZone>
      )}
    </RecordPage>
  );
}

function detailsOf(one: Subscription): [string, React.ReactNode][] {
  return [
    ['Customer', <CustomerName key="customer" id={one.customer_id} />],
    ['Plan', <PlanLink key="plan" id={one.plan_id} />],
    ['Plan version', one.version],
    ['Status', <Status key="status" of={one.status} />],
    ['Currency', one.currency.toUpperCase()],
    ['Billing period', wordsOf(one.billing_period)],
    ['Charge timing', wordsOf(one.charge_timing)],
    ['Started', <CalendarDate key="start" date={one.start_date} />],
    ['Trial ends', one.trial_ends_at && <CalendarDate key="trial" date={one.trial_ends_at} />],
    ['Ends', <CalendarDate key="end" date={one.end_date} />],
    ['Renews', one.auto_renew ? 'Yes' : 'No'],
    ['Period starts', <Instant key="from" at={one.current_period_start} />],
    ['Period ends', <Instant key="to" at={one.current_period_end} />],
    ...usagePeriodOf(one),
    ['Cancel at', one.cancel_at && <Instant key="cancel" at={one.cancel_at} />],
    ['Canceled', one.canceled_at && <Instant key="canceled" at={one.canceled_at} />],
    ['Reason', one.cancel_reason],
    ['Paused', one.paused_at && <Instant key="paused" at={one.paused_at} />],
    ['Switches to', one.pending_change && <PlanLink key="switch" id={one.pending_change.new_plan_id} />],
    ['Before it', one.previous_subscription_id && <SubscriptionLink key="before" id={one.previous_subscription_id} />],
    ['After it', one.replaced_by && <SubscriptionLink key="after" id={one.replaced_by} />],
  ];
}

/** Where usage is billed by months of a longer period. */
function usagePeriodOf(one: Subscription): [string, React.ReactNode][] {
  const { current_usage_period_start: from, current_usage_period_end: to } = one;
  if (from === one.current_period_start && to === one.current_period_end) return [];
  return [
    ['Usage period starts', <Instant key="usage-from" at={from} />],
    ['Usage period ends', <Instant key="usage-to" at={to} />],
  ];
}

function addonColumns(subscription: Subscription): Column<Subscription['addons'][number]>[] {
  return [
    { header: 'Add-on', cell: ({ addon_id }) => <AddonLink id={addon_id} /> },
    { header: 'Quantity', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
    { header: 'Status', cell: ({ status }) => <Status of={status} /> },
    { header: 'Attached', cell: ({ attached_at }) => <Instant at={attached_at} /> },
    {
      header: 'Actions',
      cell: ({ addon_id, status }) =>
        status === 'active' && <ActionButton action={cancelAddon(subscription, addon_id)} size="compact-xs" />,
    },
  ];
}

const PREPAID: Column<Subscription['prepaid_units'][number]>[] = [
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
  { header: 'Units', cell: ({ units }) => <Quantity value={units} />, isNumber: true },
  { header: 'Used', cell: ({ used }) => <Quantity value={used} />, isNumber: true },
  { header: 'Remaining', cell: ({ remaining }) => <Quantity value={remaining} />, isNumber: true },
];
