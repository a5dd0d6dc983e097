import { Stack, Table, Text } from '@mantine/core';
import type { AnswerOf } from '../../api/client.ts';
import { signOf } from '../../api/exact.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money, Quantity } from '../../parts/numbers.tsx';
import { Day } from '../../parts/times.tsx';

export type Bill = Pick<
  AnswerOf<'/api/invoices/{invoice_id}'>,
  | 'invoice_id'
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
type Line = Bill['lines'][number];

/** The lines of an invoice, or of the draft of a customer (`draftOf`), and how they add up. */
export function Bill({ bill, draftOf, empty }: { bill: Bill; draftOf?: string; empty: string }) {
  if (bill.lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Stack gap="sm">
      <DataTable
        columns={columnsOf(bill, draftOf)}
        rows={bill.lines}
        rowKey={(line) => line.line_id ?? String(bill.lines.indexOf(line))}
        empty={empty}
      />
      <Totals bill={bill} />
    </Stack>
  );
}

function columnsOf({ invoice_id, currency }: Bill, draftOf: string | undefined): Column<Line>[] {
  return [
    { header: 'Description', cell: (line) => <Description invoiceId={invoice_id} draftOf={draftOf} line={line} /> },
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
  ];
}

/** Lines of a draft that come from usage, and so can be explained before they have ids. */
const EXPLAINED: ReadonlySet<Line['type']> = new Set(['usage', 'late_usage', 'prepaid_units']);

type DescriptionProps = { invoiceId: string | null; draftOf: string | undefined; line: Line };

function Description({ invoiceId, draftOf, line }: DescriptionProps) {
  const { line_id, description, type, subscription_id, metric_id, period_start } = line;
  const label = `Explain ${description}`;
  if (invoiceId && line_id) {
    return (
      <AnchorLink
        to="/invoices/$invoiceId/lines/$lineId"
        params={{ invoiceId, lineId: line_id }}
        aria-label={label}
        inherit
      >
        {description}
      </AnchorLink>
    );
  }
  if (!draftOf || !subscription_id || !metric_id || !EXPLAINED.has(type)) return description;
  const search = { subscription_id, metric_id, type, ...(period_start && { period_start }) };
  return (
    <AnchorLink
      to="/customers/$customerId/upcoming-invoice"
      params={{ customerId: draftOf }}
      search={search}
      aria-label={label}
      inherit
    >
      {description}
    </AnchorLink>
  );
}

const ALWAYS = new Set(['Subtotal', 'Total', 'Amount due']);

function Totals({ bill }: { bill: Bill }) {
  const rows: [string, Bill['total']][] = [
    ['Charges', bill.charges_subtotal],
    ['Subtotal', bill.subtotal],
    ['Tax', bill.tax_amount],
    ['Total', bill.total],
    ['Credits applied', bill.credits_applied],
    ['Paid', bill.amount_paid],
    ['Refunded', bill.amount_refunded],
    ['Amount due', bill.amount_due],
  ];
  const isTold = ([name, value]: [string, Bill['total']]) =>
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
