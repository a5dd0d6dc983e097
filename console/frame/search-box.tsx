import { Anchor, Paper, Text, TextInput } from '@mantine/core';
import { useClickOutside, useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { recordQuery } from '../api/queries.ts';
import { wordsOf } from '../parts/words.ts';

type Hit = AnswerOf<'/api/search'>['results'][number];

const TYPING_MS = 150;

const FOLDERS: Record<Hit['type'], string> = {
  ...{ customer: 'customers', subscription: 'subscriptions', invoice: 'invoices', plan: 'plans' },
  ...{ addon: 'addons', metric: 'metrics', credit: 'credits', event: 'events' },
};

function pathOf({ type, id }: Hit): string {
  return `/console/${FOLDERS[type]}/${encodeURIComponent(id)}`;
}

/** Finds a record by its id, number or name. `/` leads here from everywhere, Enter to the first hit. */
export function SearchBox() {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const box = useClickOutside<HTMLElement>(() => setOpen(false));
  const router = useRouter();
  const [asked] = useDebouncedValue(typed.trim(), TYPING_MS);
  const found = useQuery({ ...recordQuery('/api/search', { query: { q: asked } }), enabled: asked !== '' });
  useHotkeys([['/', () => input.current?.focus()]]);

  const go = (hit: Hit) => {
    setOpen(false);
    setTyped('');
    router.history.push(pathOf(hit));
  };
  const onKeyDown = async (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false);
    if (event.key !== 'Enter' || typed.trim() === '') return;
    const { results } = await router.options.context.queries.fetchQuery(
      recordQuery('/api/search', { query: { q: typed.trim() } }),
    );
    if (results[0]) go(results[0]);
  };
  const hits = asked === '' ? undefined : found.data?.results;
  return (
    <search ref={box} style={{ flex: 1, maxWidth: '26rem', position: 'relative' }}>
      <TextInput
        ref={input}
        type="search"
        aria-label="Search"
        placeholder="Search ( / )"
        size="sm"
        value={typed}
        onFocus={() => setOpen(true)}
        onKeyDown={(event) => void onKeyDown(event)}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setOpen(true);
        }}
      />
      {isOpen && hits && <Hits of={hits} onChoose={go} />}
    </search>
  );
}

function Hits({ of: hits, onChoose }: { of: Hit[]; onChoose: (hit: Hit) => void }) {
  return (
    <Paper withBorder shadow="md" p="xs" aria-live="polite" style={HITS_STYLE}>
      {hits.length === 0 && <Text size="sm">Nothing found</Text>}
      {hits.map((hit) => (
        <Anchor
          key={`${hit.type} ${hit.id}`}
          href={pathOf(hit)}
          size="sm"
          display="block"
          p={4}
          style={{ overflowWrap: 'anywhere' }}
          onClick={(event) => {
            event.preventDefault();
            onChoose(hit);
          }}
        >
          {hit.title}{' '}
          <Text span size="xs" c="dimmed">
            {wordsOf(hit.type)} {hit.detail}
          </Text>
        </Anchor>
      ))}
    </Paper>
  );
}

const HITS_STYLE = {
  position: 'absolute',
  top: '100%',
  left: 0,
  right: 0,
  zIndex: 300,
  maxHeight: '60vh',
  overflow: 'auto',
} as const;
