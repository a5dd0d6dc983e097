import { useNavigate } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink, PlanLink, SubscriptionLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Instant } from '../../parts/times.tsx';
import { newSubscription, type Subscription } from './subscription-actions.ts';

const COLUMNS: Column<RecordOf<'/api/subscriptions'>>[] = [
  { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
  { header: 'Customer', cell: ({ customer_id }) => <CustomerLink id={customer_id} /> },
  { header: 'Plan', cell: ({ plan_id }) => <PlanLink id={plan_id} /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Started', cell: ({ start_date }) => <CalendarDate date={start_date} />, sort: 'start_date' },
  { header: 'Period ends', cell: ({ current_period_end }) => <Instant at={current_period_end} /> },
];

export function SubscriptionsPage() {
  const navigate = useNavigate();
  const show = (made: unknown) => {
    const { subscription_id: subscriptionId } = made as Subscription;
    void navigate({ to: '/subscriptions/$subscriptionId', params: { subscriptionId } });
  };
  return (
    <ListPage
      title="Subscriptions"
      path="/api/subscriptions"
      things="subscriptions"
      columns={COLUMNS}
      rowKey={({ subscription_id }) => subscription_id}
      filters={[
        { name: 'status', options: ['pending', 'active', 'paused', 'canceled', 'expired'] },
        { name: 'plan_id' },
        { name: 'customer_id' },
      ]}
      actions={<ActionButton action={newSubscription()} onDone={show} />}
    />
  );
}
