import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureAlert } from './failure-alert.tsx';

/** What a query answered, once it has; until then its place, and where it failed why. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <FailureAlert error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <FailureAlert error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={18} />
      <Skeleton height={18} />
      <Skeleton height={18} width="60%" />
    </Stack>
  );
}
