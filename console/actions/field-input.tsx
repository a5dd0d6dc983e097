import { Checkbox, MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { wordsOf } from '../parts/words.ts';
import type { ValueField } from './field.ts';

type FieldInputProps = {
  field: ValueField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

/** A field's input, labelled by the API's name for it; what is wrong with it stands beneath. */
export function FieldInput({ field, value, error, onChange }: FieldInputProps) {
  const { name, label: ownLabel, kind = 'text', isRequired, help, placeholder } = field;
  const options = (field.options ?? []).map((one) =>
    typeof one === 'string' ? { value: one, label: wordsOf(one) } : one,
  );
  const shared = {
    label: ownLabel ?? wordsOf(labelOf(name)),
    description: help,
    error,
    required: isRequired,
    withAsterisk: isRequired,
  };
  if (kind === 'yes_no') {
    const { label, description } = shared;
    return (
      <Checkbox
        {...{ label, description, error }}
        checked={value === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <Select
        {...shared}
        data={options}
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable={!isRequired}
        searchable={options.length > 10}
      />
    );
  }
  if (kind === 'choices') {
    return (
      <MultiSelect
        {...shared}
        data={options}
        value={value === '' ? [] : value.split(',')}
        onChange={(chosen) => onChange(chosen.join(','))}
      />
    );
  }
  if (kind === 'texts' || kind === 'pairs') {
    return (
      <TagsInput
        {...shared}
        placeholder={value === '' ? placeholder : undefined}
        value={value === '' ? [] : value.split('\n')}
        onChange={(texts) => onChange(texts.join('\n'))}
        acceptValueOnBlur
        data={options.map((one) => one.value)}
        limit={SUGGESTED}
        splitChars={['\n']}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      {...TYPES[kind]}
      placeholder={placeholder}
      value={kind === 'instant' ? value.replace(/(\.\d+)?Z$/, '') : value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Of what is often entered, so many are offered at once. */
const SUGGESTED = 20;

/** A field within a list is labelled by its own name: where it stands shows whose it is. */
export function labelOf(name: string): string {
  return name.replace(/^.*\.\d+\./, '');
}

const TYPES = {
  text: { type: 'text' },
  number: { type: 'text', inputMode: 'decimal' },
  numbers: { type: 'text' },
  date: { type: 'date' },
  instant: { type: 'datetime-local', step: 1 },
} as const;
