import { TextInput } from '@mantine/core';
import { useTyped } from './use-typed.ts';

type DateInputProps = { label: string; value: string; onChange: (date: string) => void };

/** A date, told once it is whole: while a year is typed it is 0002, 0020, 0202, and a part that is still missing makes no date. */
export function DateInput({ label, value, onChange }: DateInputProps) {
  const [typed, type, apply] = useTyped(value, onChange);
  return (
    <TextInput
      label={label}
      type="date"
      size="xs"
      w={150}
      max="9999-12-31"
      value={typed}
      onChange={({ currentTarget: { value: date, validity } }) => {
        type(date);
        if (!validity.badInput && !date.startsWith('0')) apply(date);
      }}
    />
  );
}
