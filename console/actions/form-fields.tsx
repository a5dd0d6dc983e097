import { Button, Fieldset, Group, Input, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
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

/** More rows than these stand on several pages: hundreds of inputs at once would answer each key late. */
const ROWS_SHOWN = 20;

/** The rows of a list, each with its fields; what is wrong with the list, or with a row, stands beneath it. */
function ListInput({ list, state }: { list: ListField; state: ActionState }) {
  const { name, rowName, columns = 3 } = list;
  const [chosen, choose] = useState(1);
  const rows = rowsOf(name, state.entries);
  const pages = Math.max(1, Math.ceil(rows.length / ROWS_SHOWN));
  const page = Math.min(chosen, pages);
  const first = (page - 1) * ROWS_SHOWN;
  const refused = rows.flatMap((row, index) => (state.isRefused(row) ? index : []));
  const elsewhere = refused.find((index) => index < first || index >= first + ROWS_SHOWN);
  return (
    <Fieldset legend={wordsOf(labelOf(name))} p="sm" style={WHOLE_WIDTH}>
      {rows.slice(first, first + ROWS_SHOWN).map((row, i) => (
        <Fieldset key={row} legend={`${wordsOf(rowName)} ${first + i + 1}`} mb="sm" p="sm" variant="filled" miw={0}>
          <SimpleGrid cols={{ base: 1, xs: Math.min(2, columns), md: columns }} verticalSpacing="xs">
            <Fields of={rowFields(list, row, state.entries)} state={state} />
          </SimpleGrid>
          <ListError text={state.ownErrorOf(row)} />
          <Group justify="flex-end" mt="xs">
            <Button variant="default" size="compact-sm" onClick={() => state.removeRow(name, first + i)}>
              Remove {rowName} {first + i + 1}
            </Button>
          </Group>
        </Fieldset>
      ))}
      <ListError text={state.ownErrorOf(name)} />
      {pages > 1 && <RowPages {...{ page, pages, rowName, elsewhere }} onChoose={choose} />}
      <Button
        variant="default"
        size="xs"
        mt="xs"
        onClick={() => {
          state.addRow(name);
          choose(Math.ceil((rows.length + 1) / ROWS_SHOWN));
        }}
      >
        Add {rowName}
      </Button>
    </Fieldset>
  );
}

type RowPagesProps = {
  page: number;
  pages: number;
  rowName: string;
  /** A row with an error that is not shown. */
  elsewhere: number | undefined;
  onChoose: (page: number) => void;
};

function RowPages({ page, pages, rowName, elsewhere, onChoose }: RowPagesProps) {
  return (
    <Group gap="xs" mt="xs">
      <Button variant="default" size="compact-sm" disabled={page === 1} onClick={() => onChoose(page - 1)}>
        Previous rows
      </Button>
      <Text size="sm">
        Page {page} of {pages}
      </Text>
      <Button variant="default" size="compact-sm" disabled={page === pages} onClick={() => onChoose(page + 1)}>
        More rows
      </Button>
      {elsewhere !== undefined && (
        <Button
          variant="default"
          size="compact-sm"
          role="alert"
          onClick={() => onChoose(Math.floor(elsewhere / ROWS_SHOWN) + 1)}
        >
          {wordsOf(rowName)} {elsewhere + 1} is not valid yet
        </Button>
      )}
    </Group>
  );
}

function ListError({ text }: { text: string | undefined }) {
  return text && <Input.Error role="alert">{text}</Input.Error>;
}

/** Without a width of its own, a fieldset is as wide as its widest content. */
const WHOLE_WIDTH = { gridColumn: '1 / -1', minWidth: 0 };
