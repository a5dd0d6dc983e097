import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Scope } from '../api/session.ts';
import { useSession } from './scopes.ts';

type Place = { to: string; name: string; needs?: Scope };

const PLACES: readonly Place[] = [
  { to: '/', name: 'Overview' },
  { to: '/customers', name: 'Customers' },
  { to: '/subscriptions', name: 'Subscriptions' },
  { to: '/invoices', name: 'Invoices' },
  { to: '/plans', name: 'Plans' },
  { to: '/addons', name: 'Add-ons' },
  { to: '/metrics', name: 'Metrics' },
  { to: '/events', name: 'Events' },
  { to: '/webhooks', name: 'Webhooks', needs: 'admin' },
  { to: '/audit-log', name: 'Audit log', needs: 'admin' },
  { to: '/test-clocks', name: 'Test clocks' },
  { to: '/settings', name: 'Settings' },
];

/** The ways to all lists, less those that the session's key may not see. */
export function Navigation({ onChoose }: { onChoose: () => void }) {
  const { key } = useSession();
  const allowed = PLACES.filter(({ needs }) => needs === undefined || key.scopes.includes(needs));
  return allowed.map(({ to, name }) => (
    <NavLink
      key={to}
      component={Link}
      to={to}
      label={name}
      onClick={onChoose}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'data-active': true, 'aria-current': 'page' }}
      style={{ borderRadius: 'var(--mantine-radius-sm)' }}
      py={6}
    />
  ));
}
