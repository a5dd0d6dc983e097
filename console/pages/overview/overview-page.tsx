import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/client.ts';
import { recordQuery } from '../../api/queries.ts';
import { useMay } from '../../frame/scopes.ts';
import { useAddress } from '../../parts/address.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, SubscriptionLink } from '../../parts/links.tsx';
import { Quantity } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';
import { ValuesByDay } from '../../parts/values-by-day.tsx';
import { DayRange } from './day-range.tsx';
import { FailingWebhooks } from './failing-webhooks.tsx';
import { HeldHint } from './held-hint.tsx';
import { Receivables, Revenue } from './revenue.tsx';

type Overview = AnswerOf<'/api/overview'>;

/** How often it asks again: its figures are sums over all of the account. */
const EVERY_MS = 30_000;

/** The account at a glance: what comes in, what is owed, what arrives, what happens next. */
export function OverviewPage() {
  const [{ start, end }] = useAddress();
  const isAdmin = useMay('admin');
  const overview = useQuery({
    ...recordQuery('/api/overview', { query: { start, end } }),
    refetchInterval: EVERY_MS,
  });
  return (
    <RecordPage query={overview} id="Overview" title={() => 'Overview'} controls={<DayRange />}>
      {(one) => (
        <>
          <HeldHint />
          {one.currencies.map((currency) => (
            <Revenue key={currency.currency.code} of={currency} />
          ))}
          <Region title="Receivables">
            <Receivables of={one.currencies} />
          </Region>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Region title="Business">
              <Facts of={businessOf(one)} cols={2} />
            </Region>
            <Region title="Ingestion">
              <Facts of={ingestionOf(one)} cols={2} />
            </Region>
          </SimpleGrid>
          <Region title="Next closings">
            <DataTable
              columns={CLOSINGS}
              rows={one.next_closings}
              rowKey={({ subscription_id }) => subscription_id}
              empty="Nothing closes yet"
            />
          </Region>
          {isAdmin && <FailingWebhooks />}
          <Region title="Events by day">
            <ValuesByDay
              title="Events by day"
              series="Events"
              rows={one.events_per_day.map(({ date, events }) => ({ date, value: events }))}
              show={(value) => <Quantity value={value} />}
            />
          </Region>
        </>
      )}
    </RecordPage>
  );
}

function count(value: number): React.ReactNode {
  return <Quantity value={value} />;
}

function businessOf({ customers, subscriptions, payments }: Overview): [string, React.ReactNode][] {
  return [
    ['Customers', count(customers)],
    ['Active subscriptions', count(subscriptions.active)],
    ['Pending subscriptions', count(subscriptions.pending)],
    ['Paused subscriptions', count(subscriptions.paused)],
    ['Payments succeeded', count(payments.succeeded)],
    ['Payments failed', count(payments.failed)],
  ];
}

function ingestionOf({ ingestion }: Overview): [string, React.ReactNode][] {
  return [
    ['Accepted in 24 hours', count(ingestion.accepted)],
    ['Landed', count(ingestion.landed)],
    ['Repeated', count(ingestion.repeated)],
    ['Missing', count(ingestion.missing)],
    ['Dead letters', count(ingestion.dead_lettered)],
    ['Lag in seconds', <Quantity key="lag" value={ingestion.lag_seconds} />],
  ];
}

const CLOSINGS: Column<Overview['next_closings'][number]>[] = [
  { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
  { header: 'Customer', cell: ({ customer_id }) => <CustomerLink id={customer_id} /> },
  { header: 'Plan', cell: ({ plan_name }) => plan_name },
  { header: 'At', cell: ({ at }) => <Instant at={at} /> },
];
