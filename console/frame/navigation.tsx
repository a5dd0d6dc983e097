import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Scope, Session } from '../api/session.ts';
import { useSession } from './scopes.ts';

type Place = { to: string; name: string; needs?: Scope; mode?: Session['account']['mode'] };

const PLACES: readonly Place[] = [
  { to: '/', name: 'Overview' },
  { to: '/customers', name: 'Customers' },
  { to: '/subscriptions', name: 'Subscriptions' },
  { to: '/invoices', name: 'Invoices' },
  { to: '/plans', name: 'Plans' },
  { to: '/held-usage', name: 'Held usage' },
  { to: '/addons', name: 'Add-ons' },
  { to: '/coupons', name: 'Coupons' },
  { to: '/metrics', name: 'Metrics' },
  { to: '/events', name: 'Events' },
  { to: '/webhooks', name: 'Webhooks', needs: 'admin' },
  { to: '/audit-log', name: 'Audit log', needs: 'admin' },
  { to: '/test-clocks', name: 'Test clocks', mode: 'test' },
  { to: '/settings', name: 'Settings' },
];

/** The ways to all lists, less those that the session's key may not see, or that its account does not have. */
export function Navigation({ onChoose }: { onChoose: () => void }) {
  const { account, key } = useSession();
  const places = PLACES.filter(({ mode }) => mode === undefined || mode === account.mode);
  const allowed = places.filter(({ needs }) => needs === undefined || key.scopes.includes(needs));
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
