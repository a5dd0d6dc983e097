import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Names and values of a record, side by side where there is room; one whose value is null is left out. */
export function Facts({ of: facts, cols = 3 }: { of: readonly (readonly [string, ReactNode])[]; cols?: number }) {
  return (
    <SimpleGrid
      component="dl"
      m={0}
      cols={{ base: 1, xs: Math.min(2, cols), md: cols }}
      spacing="md"
      verticalSpacing="sm"
    >
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
    </SimpleGrid>
  );
}
