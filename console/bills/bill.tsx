import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { signOf, stringifyExact } from '../api/exact.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Money, Quantity } from '../parts/numbers.tsx';
import { Day } from '../parts/times.tsx';

export type BillRecord = Pick<
  AnswerOf<'/api/invoices/{invoice_id}'>,
  | 'lines'
  | 'currency'
  | 'charges_subtotal'
  | 'subtotal'
  | 'tax_amount'
  | 'total'
  | 'credits_applied'
  | 'amount_paid'
  | 'amount_refunded'
  | 'amount_due'
>;
export type BillLine = BillRecord['lines'][number];

/** `describe`: a line in words, which may lead to how it comes about. */
type BillProps = { bill: BillRecord; describe: (line: BillLine) => ReactNode; empty: string };

/** The lines of an invoice or a draft, and how they add up. */
export function Bill({ bill, describe, empty }: BillProps) {
  if (bill.lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Stack gap="sm">
      <DataTable
        columns={columnsOf(bill, describe)}
        rows={bill.lines}
        rowKey={(line) => line.line_id ?? String(bill.lines.indexOf(line))}
        empty={empty}
      />
      <Totals bill={bill} />
    </Stack>
  );
}

function columnsOf({ currency, lines }: BillRecord, describe: BillProps['describe']): Column<BillLine>[] {
  const ofSeveral = new Set(lines.map(({ customer_id }) => customer_id)).size > 1;
  return [
    { header: 'Description', cell: describe },
    ...(ofSeveral ? [{ header: 'Customer', cell: ({ customer_id }: BillLine) => customer_id }] : []),
    {
      header: 'Period',
      cell: ({ period_start, period_end }) =>
        period_start && (
          <>
            <Day at={period_start} /> – <Day at={period_end} />
          </>
        ),
    },
    { header: 'Quantity', cell: ({ quantity }) => <Quantity value={quantity} />, isNumber: true },
    {
      header: 'Unit price',
      cell: ({ unit_price }) => <Money value={unit_price} currency={currency} />,
      isNumber: true,
    },
    { header: 'Amount', cell: ({ amount }) => <Money value={amount} currency={currency} />, isNumber: true },
    ...(lines.some(isReversed)
      ? [
          {
            header: 'Reversed',
            cell: (line: BillLine) => isReversed(line) && <Money value={line.reversed_amount} currency={currency} />,
            isNumber: true,
          },
        ]
      : []),
  ];
}

/** Whether some of a line has gone back. */
function isReversed({ reversed_amount }: BillLine): boolean {
  return reversed_amount !== null && signOf(reversed_amount) > 0;
}

/** Lines of a draft that come from more than they say, and so can be explained before they have ids. */
const EXPLAINED: ReadonlySet<BillLine['type']> = new Set([
  'usage',
  'late_usage',
  'prepaid_units',
  'true_up',
  'discount',
]);

/** By what the API finds a line of a draft to explain it; undefined for a line that explains itself. */
export function draftLineQuery(line: BillLine): Record<string, string> | undefined {
  const { type, subscription_id, metric_id, period_start, group, price_id, discount_id } = line;
  if (!subscription_id || !EXPLAINED.has(type)) return undefined;
  const named = { metric_id, period_start, group: group && stringifyExact(group), price_id, discount_id };
  const known = Object.entries(named).filter((one): one is [string, string] => one[1] !== null);
  return { subscription_id, type, ...Object.fromEntries(known) };
}

/** What says of a line of a draft which one it is. */
export const DRAFT_LINE = ['subscription_id', 'metric_id', 'type', 'period_start', 'group', 'price_id', 'discount_id'];

const ALWAYS = new Set(['Subtotal', 'Total', 'Amount due']);

function Totals({ bill }: { bill: BillRecord }) {
  const rows: [string, BillRecord['total']][] = [
    ['Charges', bill.charges_subtotal],
    ['Subtotal', bill.subtotal],
    ['Tax', bill.tax_amount],
    ['Total', bill.total],
    ['Credits applied', bill.credits_applied],
    ['Paid', bill.amount_paid],
    ['Refunded', bill.amount_refunded],
    ['Amount due', bill.amount_due],
  ];
  const isTold = ([name, value]: [string, BillRecord['total']]) =>
    name === 'Charges' ? String(value) !== String(bill.subtotal) : ALWAYS.has(name) || signOf(value) !== 0;
  return (
    <Table aria-label="Totals" fz="sm" verticalSpacing={4} withRowBorders={false} w="auto" ml="auto">
      <Table.Tbody>
        {rows.filter(isTold).map(([name, value]) => (
          <Table.Tr key={name} fw={ALWAYS.has(name) ? 600 : undefined}>
            <Table.Th scope="row" fw="inherit">
              {name}
            </Table.Th>
            <Table.Td ta="right" style={{ overflowWrap: 'anywhere' }}>
              <Money value={value} currency={bill.currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
