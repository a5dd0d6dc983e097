import { Box, ScrollArea } from '@mantine/core';
import type { ReactNode } from 'react';

/** A record's own pages, as links in a row. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box component="nav" aria-label={label} mb="md">
      <ScrollArea type="never">
        <div style={{ display: 'flex', gap: 'var(--mantine-spacing-md)', whiteSpace: 'nowrap' }}>{children}</div>
      </ScrollArea>
    </Box>
  );
}

/** What a tab looks like when its page is the one that is shown. */
export const SHOWN = { 'aria-current': 'page', fw: 700, c: 'inherit' } as const;
