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

type Currency = { code: string } | string;
type Totals = { currency: Currency; total: Exact; amount_due: Exact };
type Drafted = Totals & { payer: (Totals & { customer_id: string }) | null };
type Amounts = { currency: Currency; amount?: Exact; total?: Exact };
type PreviewedInvoice = Amounts & { status?: string; issue_date?: string | null; condition?: string | null };
/** What a preview answers: what would be made at once and later, and the draft before and after. */
export type Previewed = {
  invoices: PreviewedInvoice[];
  credits: Amounts[];
  refunds: Amounts[];
  draft_before: Drafted | null;
  draft_after: Drafted | null;
};

function Preview({ of: { invoices, credits, refunds, draft_before, draft_after } }: { of: Previewed }) {
  const ofInvoices = invoices.map((invoice): [string, Amounts] => [nameOf(invoice), invoice]);
  const made = [...ofInvoices, ...named('Credit', credits), ...named('Refund', refunds)];
  return (
    <Table aria-label="What it does" fz="sm">
      <Table.Tbody>
        {made.map(([name, { currency, amount, total }], index) => (
          <AmountRow key={`${name} ${index + 1}`} name={name} value={total ?? amount ?? null} currency={currency} />
        ))}
        <DraftRows of={draft_before} when="before" />
        <DraftRows of={draft_after} when="after" />
      </Table.Tbody>
    </Table>
  );
}

/** Names an invoice by when it is made: at once if it is no draft. */
function nameOf({ status, issue_date, condition }: PreviewedInvoice): string {
  if (status !== 'draft') return 'Invoice';
  if (condition === 'on_resume') return 'Invoice on a resume';
  return issue_date ? `Invoice on ${issue_date}` : 'Invoice later';
}

function DraftRows({ of, when }: { of: Drafted | null; when: string }) {
  if (!of) return null;
  const { payer } = of;
  return (
    <>
      <AmountRow name={`Upcoming invoices ${when}`} value={of.total} currency={of.currency} />
      {payer && (
        <AmountRow
          name={`Upcoming invoices of ${payer.customer_id} ${when}`}
          value={payer.total}
          currency={payer.currency}
        />
      )}
    </>
  );
}

function named(name: string, rows: readonly Amounts[]): [string, Amounts][] {
  return rows.map((row) => [name, row]);
}

type AmountRowProps = { name: string; value: Exact | null; currency: Currency };

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
