import type { TableCell } from 'pdfmake/interfaces.js';
import type { IssuedInvoice } from '../billing/invoices/invoice.ts';
import { type Decimal, sum, toPlain } from '../core/decimal.ts';
import { moneyText } from './money-text.ts';
import { textRuns } from './text-runs.ts';

/** From the subtotal to what is due: each row follows from those above it (spec/invoices#arithmetic). */
export function totalRows(invoice: IssuedInvoice): TableCell[][] {
  const { currency, subtotal, taxRate, taxAmount, total, amountPaid, amountRefunded, amountDue, lines } = invoice;
  const row = (label: string, amount: Decimal, bold = false): TableCell[] => [
    { text: textRuns(label), bold },
    { text: textRuns(moneyText(amount, currency)), alignment: 'right', bold, noWrap: true },
  ];
  const credits = lines.filter(({ type }) => type === 'credit');
  const later = invoice.creditsApplied.plus(sum(credits.map(({ amount }) => amount)));
  const due = row(`Amount due (${currency})`, amountDue, true);
  return [
    row('Subtotal', subtotal),
    ...(taxRate.isZero() ? [] : [row(`Tax (${toPlain(taxRate)} %)`, taxAmount)]),
    row('Total', total, true),
    ...credits.map(({ description, amount }) => row(description, amount)),
    ...(later.isZero() ? [] : [row('Credited later', later.negated())]),
    ...(amountPaid.isZero() ? [] : [row('Amount paid', amountPaid.negated())]),
    ...(invoice.status === 'void' ? [] : [due]),
    ...(amountRefunded.isZero() ? [] : [row('Refunded', amountRefunded)]),
  ];
}
