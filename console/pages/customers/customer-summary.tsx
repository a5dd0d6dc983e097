import { useQuery } from '@tanstack/react-query';
import { LIVE_MS, recordQuery } from '../../api/queries.ts';
import { DraftBill } from '../../bills/draft-bill.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, PlanLink, SubscriptionLink, TestClockLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Money, None, Percent } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { CalendarDate, Instant } from '../../parts/times.tsx';
import { HeldRegion } from '../held-usage/held-region.tsx';
import { AccessTable } from './access-table.tsx';
import { Children } from './children.tsx';
import { CreditsLeft } from './credits-left.tsx';
import type { Customer } from './customer-actions.ts';
import { useCustomer } from './customer-page.tsx';
import { DraftLineLink } from './draft-line-link.tsx';
import { PortalLinks } from './portal-links.tsx';

/** What support asks first: what is owed, what is subscribed to, what will be paid, what may be used. */
export function CustomerSummary() {
  const { data: customer } = useCustomer();
  if (!customer) return null;
  return (
    <>
      <Region title="Balance">
        <Facts
          of={[
            ['Amount due', <Money key="due" value={customer.total_amount_due} currency={customer.default_currency} />],
            ['Credits left', <CreditsLeft key="credits" customerId={customer.customer_id} />],
            [
              'Payment method',
              customer.has_payment_method ? `On file at ${customer.payment_provider}` : 'None on file',
            ],
          ]}
        />
      </Region>
      <Region title="Subscriptions">
        <DataTable
          columns={SUBSCRIPTIONS}
          rows={customer.subscriptions}
          rowKey={({ subscription_id }) => subscription_id}
          empty="No subscriptions yet"
        />
      </Region>
      <UpcomingInvoice customerId={customer.customer_id} />
      <Region title="Access">
        <AccessTable customerId={customer.customer_id} />
      </Region>
      <Region title="Details">
        <Facts of={detailsOf(customer)} />
      </Region>
      <Children payerId={customer.customer_id} />
      <PortalLinks customerId={customer.customer_id} />
    </>
  );
}

type Subscription = Customer['subscriptions'][number];

const SUBSCRIPTIONS: Column<Subscription>[] = [
  { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
  { header: 'Plan', cell: ({ plan_id }) => <PlanLink id={plan_id} /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Started', cell: ({ start_date }) => <CalendarDate date={start_date} /> },
  { header: 'Period ends', cell: ({ current_period_end }) => <Instant at={current_period_end} /> },
];

function UpcomingInvoice({ customerId }: { customerId: string }) {
  const draft = useQuery({
    ...recordQuery('/api/customers/{customer_id}/draft_invoice', { path: { customer_id: customerId } }),
    refetchInterval: LIVE_MS,
  });
  return (
    <>
      <Region title="Upcoming invoice">
        <Loaded query={draft}>
          {(whole) => (
            <DraftBill
              draft={whole}
              describe={(line) => <DraftLineLink customerId={customerId} line={line} />}
              nameOf={(id) => <SubscriptionLink id={id} />}
            />
          )}
        </Loaded>
      </Region>
      {draft.data && <HeldRegion of={draft.data.held} />}
    </>
  );
}

function detailsOf(customer: Customer): [string, React.ReactNode][] {
  const { billing_address: address } = customer;
  return [
    ['Customer ID', customer.customer_id],
    ['Email', customer.email || <None />],
    ['Currency', customer.default_currency.code],
    ['Time zone', customer.timezone],
    ['Tax rate', <Percent key="tax" value={customer.tax_rate} />],
    ['Billing address', address ? Object.values(address).filter(Boolean).join(', ') : <None />],
    ['Billed to', customer.billed_to && <CustomerLink key="payer" id={customer.billed_to} />],
    ['Created', <Instant key="created" at={customer.created_at} />],
    ['Test clock', <TestClockLink key="clock" id={customer.test_clock_id} />],
    ...Object.entries(customer.metadata).map(([name, value]): [string, string] => [name, String(value)]),
  ];
}
