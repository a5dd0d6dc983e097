import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** By this id a page's own table is named by its heading. */
export const HEADING_ID = 'heading';

/** The page's heading, which is also the tab's title; on the right what can be done here. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title);
  return (
    <Group justify="space-between" align="center" mb="md" gap="sm">
      <Title order={1} size="h3" id={HEADING_ID} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        {title}
      </Title>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Meterbook`;
  }, [title]);
}
