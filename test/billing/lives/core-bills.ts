import type { ComputedInvoice } from '../../../billing/invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { sum, toPlain, ZERO } from '../../../core/decimal.ts';
import type { Bill } from './life.ts';

type Shown = Pick<ComputedInvoice, 'kind' | 'taxAmount' | 'total'> & {
  issueDate: string;
  lines: readonly NewInvoiceLine[];
};

/** Returns an invoice to a customer as texts; credits that pay it later do not lower what is due. */
export function billOfComputed(customer: string, invoice: Shown): Bill {
  const { kind, issueDate, taxAmount, total, lines } = invoice;
  const credits = sum(lines.filter(({ type }) => type === 'credit').map(({ amount }) => amount));
  const due = total.plus(credits);
  return {
    ...{ customer, kind, date: issueDate, tax: toPlain(taxAmount), total: toPlain(total) },
    due: toPlain(due.lt(0) ? ZERO : due),
    lines: lines.map((line) => lineText(customer, line)),
  };
}

function lineText(customer: string, line: NewInvoiceLine & { customerId?: string }): string {
  const { type, metricId, quantity, amount, group, customerId = customer } = line;
  const metric = metricId === null ? [] : [metricId, `x${quantity === null ? null : toPlain(quantity)}`];
  const texts = group ? [Object.values(group).join('/')] : [];
  return [...(customerId === customer ? [] : [`${customerId}:`]), type, ...metric, ...texts, toPlain(amount)].join(' ');
}
