import { Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { PageHead } from './page-head.tsx';

type RecordPageProps<T> = {
  query: UseQueryResult<T>;
  /** Its name, or its id while that is not known. */
  title: (record: T) => string;
  id: string;
  /** Chooses what of it is shown: stands there whatever has been read. */
  controls?: ReactNode;
  actions?: (record: T) => ReactNode;
  children: (record: T) => ReactNode;
};

/** A record as a page of its own: its name, what can be done with it, its regions. */
export function RecordPage<T>({ query, title, id, controls, actions, children }: RecordPageProps<T>) {
  return (
    <>
      <PageHead title={titleOf(query, title, id)}>
        {controls}
        {query.data !== undefined && actions?.(query.data)}
      </PageHead>
      <Loaded query={query}>{(record) => <Stack>{children(record)}</Stack>}</Loaded>
    </>
  );
}

function titleOf<T>({ data, error }: UseQueryResult<T>, title: (record: T) => string, id: string): string {
  if (data !== undefined) return title(data) || id;
  return error ? titleOfFailure(error) : id;
}

function titleOfFailure(error: Error): string {
  const status = 'status' in error ? error.status : undefined;
  return status === 404 ? 'Not found' : status === 403 ? 'Not allowed' : 'That did not work';
}
