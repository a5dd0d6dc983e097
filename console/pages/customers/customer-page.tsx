import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import { useMay } from '../../frame/scopes.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { SHOWN, Tabs } from '../../parts/tabs.tsx';
import { Zone } from '../../parts/times.tsx';
import { newSubscription } from '../subscriptions/subscription-actions.ts';
import { deleteCustomer, editCustomer, newCredit } from './customer-actions.ts';
import { PortalLinkButton } from './portal-links.tsx';

const TABS = [
  ['/customers/$customerId', 'Summary'],
  ['/customers/$customerId/usage', 'Usage'],
  ['/customers/$customerId/invoices', 'Invoices'],
  ['/customers/$customerId/credits', 'Credits'],
  ['/customers/$customerId/events', 'Events'],
  ['/customers/$customerId/access', 'Access'],
  ['/customers/$customerId/costs', 'Costs'],
  ['/customers/$customerId/ledger', 'Ledger'],
] as const;
const ADMIN_TABS = [['/customers/$customerId/activity', 'Activity']] as const;

export function useCustomer() {
  const { customerId = '' } = useParams({ strict: false });
  return useQuery(recordQuery('/api/customers/{customer_id}', { path: { customer_id: customerId } }));
}

/** A customer; its tabs are pages beneath. Instants on all of them are shown in its time zone. */
export function CustomerPage() {
  const customer = useCustomer();
  const { customerId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const isAdmin = useMay('admin');
  return (
    <RecordPage
      query={customer}
      id={customerId}
      title={({ customer_name }) => customer_name}
      actions={(record) => (
        <>
          <ActionButton action={editCustomer(record)} />
          <ActionButton action={newSubscription(record.customer_id)} />
          <ActionButton action={newCredit(record.customer_id)} />
          <PortalLinkButton customerId={record.customer_id} />
          <ActionButton action={deleteCustomer(record)} onDone={() => void navigate({ to: '/customers' })} />
        </>
      )}
    >
      {({ timezone }) => (
        <Zone.Provider value={timezone}>
          <div>
            <Tabs label="Customer">
              {[...TABS, ...(isAdmin ? ADMIN_TABS : [])].map(([to, name]) => (
                <AnchorLink
                  key={to}
                  to={to}
                  params={{ customerId }}
                  activeOptions={EXACT}
                  activeProps={SHOWN}
                  size="sm"
                >
                  {name}
                </AnchorLink>
              ))}
            </Tabs>
            <Stack>
              <Outlet />
            </Stack>
          </div>
        </Zone.Provider>
      )}
    </RecordPage>
  );
}

const EXACT = { exact: true, includeSearch: false };
