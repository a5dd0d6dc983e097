import { Code, Stack, Table, Text } from '@mantine/core';
import { type Exact, stringifyExact } from '../api/exact.ts';
import { Money } from '../parts/numbers.tsx';
import { wordsOf } from '../parts/words.ts';
import type { Action } from './action.ts';

type ReviewProps = { action: Action; body: Record<string, unknown>; preview: Previewed | undefined };

/** What a write would do, by its preview; where the API has none for it, what will be sent. */
export function Review({ action, body, preview }: ReviewProps) {
  return (
    <Stack gap="sm">
      {action.isFinal && <Text fw={600}>This cannot be undone.</Text>}
      <Sent body={body} />
      {preview && <Preview of={preview} />}
      {action.review?.(body)}
    </Stack>
  );
}

function Sent({ body }: { body: Record<string, unknown> }) {
  const rows = Object.entries(body);
  if (rows.length === 0) return <Text size="sm">Nothing else is sent with it.</Text>;
  return (
    <Table aria-label="What will be sent" fz="sm">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{wordsOf(name)}</Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {typeof value === 'object' && value !== null && !('isLosslessNumber' in value) ? (
                <Code block>{stringifyExact(value, 2)}</Code>
              ) : (
                String(value)
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type Totals = { currency: { code: string } | string; total: Exact; amount_due: Exact };
type Amounts = { currency: { code: string } | string; amount?: Exact; total?: Exact };
/** What a preview answers: what would be made, and the draft before and after. */
export type Previewed = {
  invoices: Amounts[];
  credits: Amounts[];
  refunds: Amounts[];
  draft_before: Totals | null;
  draft_after: Totals | null;
};

function Preview({ of: { invoices, credits, refunds, draft_before, draft_after } }: { of: Previewed }) {
  const made = [...named('Invoice', invoices), ...named('Credit', credits), ...named('Refund', refunds)];
  return (
    <Table aria-label="What it does" fz="sm">
      <Table.Tbody>
        {made.map(([name, { currency, amount, total }], index) => (
          <AmountRow key={`${name} ${index + 1}`} name={name} value={total ?? amount ?? null} currency={currency} />
        ))}
        {draft_before && (
          <AmountRow name="Upcoming invoice before" value={draft_before.total} currency={draft_before.currency} />
        )}
        {draft_after && (
          <AmountRow name="Upcoming invoice after" value={draft_after.total} currency={draft_after.currency} />
        )}
      </Table.Tbody>
    </Table>
  );
}

function named(name: string, rows: readonly Amounts[]): [string, Amounts][] {
  return rows.map((row) => [name, row]);
}

type AmountRowProps = { name: string; value: Exact | null; currency: { code: string } | string };

function AmountRow({ name, value, currency }: AmountRowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td ta="right">
        <Money value={value} currency={currency} />
      </Table.Td>
    </Table.Tr>
  );
}
