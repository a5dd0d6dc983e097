import { Group, Paper, Title } from '@mantine/core';
import { createContext, type ReactNode, useContext, useId } from 'react';

/** The id of the heading that names what stands beneath it. */
const Heading = createContext<string | undefined>(undefined);

export function useHeadingId(): string | undefined {
  return useContext(Heading);
}

type RegionProps = { title: string; actions?: ReactNode; children: ReactNode };

/** A part of a page, named by its heading. */
export function Region({ title, actions, children }: RegionProps) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <Heading.Provider value={id}>{children}</Heading.Provider>
    </Paper>
  );
}
