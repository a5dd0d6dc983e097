import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { recordQuery } from '../../api/queries.ts';
import { CustomerLink } from '../../parts/links.tsx';
import { Zone } from '../../parts/times.tsx';

/** Shows instants in the time zone of a customer; in UTC while that, or who it is, is not known. */
export function CustomerZone({ id, children }: { id: string | undefined; children: ReactNode }) {
  const customer = recordQuery('/api/customers/{customer_id}', { path: { customer_id: id ?? '' } });
  const { data } = useQuery({ ...customer, enabled: id !== undefined });
  return (
    <Zone.Provider value={data?.timezone ?? 'UTC'}>
      <Stack>{children}</Stack>
    </Zone.Provider>
  );
}

/** A link to a customer by its name, which is read. */
export function CustomerName({ id }: { id: string }) {
  const { data } = useQuery(recordQuery('/api/customers/{customer_id}', { path: { customer_id: id } }));
  return <CustomerLink id={id}>{data?.customer_name || undefined}</CustomerLink>;
}
