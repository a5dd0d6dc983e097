import { Container, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from '../api/failure.ts';
import { PageHead } from '../parts/page-head.tsx';
import { isOver, views } from './views.ts';

/** Says that the link is of no use any more, where it is so; the pages behind it else. */
export function LinkOver({ children }: { children: ReactNode }) {
  const { error } = useQuery(views.customer());
  if (!isOver(error)) return children;
  const isExpired = error instanceof Failure && error.status === 410;
  return (
    <Container component="main" size={520} py={{ base: 'xl', sm: 100 }}>
      <PageHead title={isExpired ? 'This link has expired' : 'This link does not work'} />
      <Text>
        {!isExpired && 'It may have been withdrawn, or not have been copied whole. '}
        Ask for a new one where you got it from.
      </Text>
    </Container>
  );
}
