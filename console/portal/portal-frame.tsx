import { Container, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { AnchorLink } from '../parts/anchor-link.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Zone } from '../parts/times.tsx';
import { views } from './views.ts';

/** What stands around each page: the way back to the first one. Instants are in the customer's time zone. */
export function PortalFrame() {
  const customer = useQuery(views.customer());
  const { data: issuer } = useQuery(views.issuer());
  const isFirst = useLocation({ select: ({ pathname }) => pathname === '/' });
  return (
    <Container component="main" size="lg" py="lg" px={{ base: 'sm', sm: 'lg' }}>
      <Loaded query={customer}>
        {({ timezone }) => (
          <Zone.Provider value={timezone}>
            {issuer && (
              <Text fw={700} mb="sm">
                {issuer.name}
              </Text>
            )}
            {!isFirst && (
              <Text size="sm" mb="sm">
                <AnchorLink to="/" inherit>
                  Usage and invoices
                </AnchorLink>
              </Text>
            )}
            <Outlet />
          </Zone.Provider>
        )}
      </Loaded>
    </Container>
  );
}
