import { Button, Fieldset, Group, Input, SimpleGrid } from '@mantine/core';
import { wordsOf } from '../parts/words.ts';
import { enteredIn, rowFields, rowsOf } from './entries.ts';
import { type Field, isList, type ListField } from './field.ts';
import { FieldInput, labelOf } from './field-input.tsx';
import type { ActionState } from './use-action.ts';

/** Some of a form's fields, one beneath the other. */
export function Fields({ of: fields, state }: { of: readonly Field[]; state: ActionState }) {
  return fields.map((field) =>
    isList(field) ? (
      <ListInput key={field.name} list={field} state={state} />
    ) : (
      <FieldInput
        key={field.name}
        field={field}
        value={enteredIn(field, state.entries)}
        error={state.errorOf(field.name)}
        onChange={(value) => state.change(field.name, value)}
      />
    ),
  );
}

/** The rows of a list, each with its fields; what is wrong with the list, or with a row, stands beneath it. */
function ListInput({ list, state }: { list: ListField; state: ActionState }) {
  const { name, rowName, columns = 3 } = list;
  const rows = rowsOf(name, state.entries);
  return (
    <Fieldset legend={wordsOf(labelOf(name))} p="sm" style={WHOLE_WIDTH}>
      {rows.map((row, index) => (
        <Fieldset key={row} legend={`${wordsOf(rowName)} ${index + 1}`} mb="sm" p="sm" variant="filled" miw={0}>
          <SimpleGrid cols={{ base: 1, xs: Math.min(2, columns), md: columns }} verticalSpacing="xs">
            <Fields of={rowFields(list, row, state.entries)} state={state} />
          </SimpleGrid>
          <ListError text={state.ownErrorOf(row)} />
          <Group justify="flex-end" mt="xs">
            <Button variant="default" size="compact-sm" onClick={() => state.removeRow(name, index)}>
              Remove {rowName} {index + 1}
            </Button>
          </Group>
        </Fieldset>
      ))}
      <ListError text={state.ownErrorOf(name)} />
      <Button variant="default" size="xs" mt="xs" onClick={() => state.addRow(name)}>
        Add {rowName}
      </Button>
    </Fieldset>
  );
}

function ListError({ text }: { text: string | undefined }) {
  return text && <Input.Error role="alert">{text}</Input.Error>;
}

/** Without a width of its own, a fieldset is as wide as its widest content. */
const WHOLE_WIDTH = { gridColumn: '1 / -1', minWidth: 0 };
