import { Container } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { AGAIN_MS, isTemporary } from '../api/failure.ts';
import { FailureAlert } from '../parts/failure-alert.tsx';

/** Shown where a page could not even begin: the service is away, or a mistake of ours. */
export function FailedPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryClient();
  const again = useCallback(async () => {
    await queries.resetQueries();
    await router.invalidate();
  }, [queries, router]);
  useEffect(() => {
    if (!isTemporary(error)) return;
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [error, again]);
  return (
    <Container component="main" size="sm" pt="xl">
      <FailureAlert error={error as Error} retry={() => void again()} />
    </Container>
  );
}
