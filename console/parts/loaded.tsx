import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureAlert } from './failure-alert.tsx';

/** What a query answered, once it has; until then its place, and where it failed why: also while it is tried once more. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  const error = query.error ?? (query.errorUpdateCount > 0 ? query.failureReason : null);
  const alert = error && <FailureAlert error={error} retry={() => void query.refetch()} />;
  if (query.data !== undefined) {
    return (
      <>
        {alert}
        {children(query.data)}
      </>
    );
  }
  if (alert) return alert;
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={18} />
      <Skeleton height={18} />
      <Skeleton height={18} width="60%" />
    </Stack>
  );
}
