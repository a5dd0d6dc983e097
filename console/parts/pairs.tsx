import { Text } from '@mantine/core';
import { stringifyExact } from '../api/exact.ts';
import { Facts } from './facts.tsx';

/** Names and values that a caller chose: metadata, properties of an event. */
export function Pairs({ of: pairs, empty }: { of: Record<string, unknown>; empty: string }) {
  const entries = Object.entries(pairs);
  if (entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Facts of={entries.map(([name, value]) => [name, typeof value === 'string' ? value : stringifyExact(value)])} />
  );
}
