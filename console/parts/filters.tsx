import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useAddress } from './address.ts';
import { wordsOf } from './words.ts';

/** A filter of a list: one of some words, a date, or text. */
export type Filter = { name: string; options?: readonly string[]; type?: 'text' | 'date' };

const TYPING_MS = 300;

/** The list's filters; what is chosen stands in the address. */
export function Filters({ of: filters }: { of: readonly Filter[] }) {
  const [address, change] = useAddress();
  return (
    <Group mb="md" gap="sm" align="end" role="group" aria-label="Filters">
      {filters.map(({ name, options, type = 'text' }) =>
        options ? (
          <Select
            key={name}
            label={wordsOf(name)}
            size="xs"
            w={160}
            clearable
            placeholder="Any"
            data={options.map((value) => ({ value, label: wordsOf(value) }))}
            value={address[name] ?? null}
            onChange={(value) => change({ [name]: value ?? undefined })}
          />
        ) : (
          <TextFilter key={name} name={name} type={type} />
        ),
      )}
    </Group>
  );
}

/** Asks when the typing pauses, so that half a word is not looked for at each letter. */
function TextFilter({ name, type }: { name: string; type: 'text' | 'date' }) {
  const [address, change] = useAddress();
  const current = address[name] ?? '';
  const [typed, setTyped] = useState(current);
  useEffect(() => setTyped(current), [current]);
  const apply = useDebouncedCallback((value: string) => change({ [name]: value.trim() || undefined }), TYPING_MS);
  return (
    <TextInput
      label={wordsOf(name)}
      type={type}
      size="xs"
      w={type === 'date' ? 150 : 220}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        apply(value);
      }}
    />
  );
}
