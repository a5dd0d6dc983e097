import { Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useAddress } from './address.ts';
import { DateInput } from './date-input.tsx';
import { useTyped } from './use-typed.ts';
import { wordsOf } from './words.ts';

/** A filter of a list: one of some words, a date, or text. */
export type Filter = { name: string; options?: readonly string[]; type?: 'text' | 'date' };

const TYPING_MS = 300;

/** The list's filters; what is chosen stands in the address. */
export function Filters({ of: filters }: { of: readonly Filter[] }) {
  return (
    <Group mb="md" gap="sm" align="end" role="group" aria-label="Filters">
      {filters.map((filter) => (
        <FilterInput key={filter.name} of={filter} />
      ))}
    </Group>
  );
}

function FilterInput({ of: { name, options, type } }: { of: Filter }) {
  const [address, change] = useAddress();
  const label = wordsOf(name);
  const value = address[name] ?? '';
  const set = (chosen: string | null) => change({ [name]: chosen || undefined });
  if (options) {
    return (
      <Select
        label={label}
        size="xs"
        w={160}
        clearable
        placeholder="Any"
        data={options.map((option) => ({ value: option, label: wordsOf(option) }))}
        value={value || null}
        onChange={set}
      />
    );
  }
  if (type === 'date') return <DateInput label={label} value={value} onChange={set} />;
  return <TextFilter label={label} value={value} onChange={set} />;
}

type TextFilterProps = { label: string; value: string; onChange: (text: string) => void };

/** Asks when the typing pauses, so that half a word is not looked for at each letter. */
function TextFilter({ label, value, onChange }: TextFilterProps) {
  const [typed, type, apply] = useTyped(value, onChange);
  const applySoon = useDebouncedCallback((text: string) => apply(text.trim()), TYPING_MS);
  return (
    <TextInput
      label={label}
      size="xs"
      w={220}
      value={typed}
      onChange={({ currentTarget: { value: text } }) => {
        type(text);
        applySoon(text);
      }}
    />
  );
}
