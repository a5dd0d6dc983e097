import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Scope } from '../api/session.ts';
import { useSession } from './scopes.ts';

type Place = { to: string; name: string; needs?: Scope };

const PLACES: readonly Place[] = [
  { to: '/customers', name: 'Customers' },
  { to: '/invoices', name: 'Invoices' },
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
