import type { Content, TableCell } from 'pdfmake/interfaces.js';
import type { InvoiceLine, IssuedInvoice } from '../billing/invoices/invoice.ts';
import type { RatedTier } from '../billing/pricing/model-price.ts';
import { type Decimal, sum, ZERO } from '../core/decimal.ts';
import { periodText } from './date-text.ts';
import { moneyText, priceText, quantityText } from './money-text.ts';
import { GREY } from './page-style.ts';
import { textRuns } from './text-runs.ts';

/** A row of the table of charges, and what it adds to the subtotal; a heading adds nothing. */
export type LineRow = { cells: TableCell[]; amount: Decimal };

/** What the charges of an invoice are, one row each, those of a section beneath its heading; credits stand among the totals. */
export function lineRows({ invoice, timeZone }: { invoice: IssuedInvoice; timeZone: string }): LineRow[] {
  const charges = invoice.lines.filter(({ type }) => type !== 'credit');
  return charges.flatMap((line, i) => {
    const row = { cells: chargeCells(line, invoice.currency, timeZone), amount: line.amount };
    const begins = invoice.sections.length > 0 && charges[i - 1]?.subscriptionId !== line.subscriptionId;
    return begins ? [{ cells: headingCells(line, invoice), amount: ZERO }, row] : [row];
  });
}

/** Whose charges follow, and what they come to. */
function headingCells(
  { customerId, subscriptionId }: InvoiceLine,
  { sections, ...invoice }: IssuedInvoice,
): TableCell[] {
  const own = sections.filter((section) => section.subscriptionId === subscriptionId);
  const subtotal = sum(own.map((section) => section.subtotal));
  return [
    { text: textRuns(customerId ?? invoice.customerId), bold: true, colSpan: 3 },
    {},
    {},
    { text: textRuns(moneyText(subtotal, invoice.currency)), bold: true, alignment: 'right', noWrap: true },
  ];
}

function chargeCells(line: InvoiceLine, currency: string, timeZone: string): TableCell[] {
  return [
    { stack: [{ text: textRuns(line.description) }, ...details(line, currency, timeZone)] },
    { text: line.billableQuantity === null ? '' : quantityText(line.billableQuantity), alignment: 'right' },
    {
      text: textRuns(line.unitPrice === null ? '' : priceText(line.unitPrice, currency)),
      alignment: 'right',
      noWrap: true,
    },
    { text: textRuns(moneyText(line.amount, currency)), alignment: 'right', noWrap: true },
  ];
}

/** The line's period, and the tiers that made its price. */
function details({ periodStart, periodEnd, tiers }: InvoiceLine, currency: string, timeZone: string): Content[] {
  const period = periodStart === null || periodEnd === null ? [] : [periodText(periodStart, periodEnd, timeZone)];
  return [...period, ...tiers.map((tier) => tierText(tier, currency))].map((text) => ({
    text: textRuns(text),
    color: GREY,
    fontSize: 8,
  }));
}

/** `100 × $0.10 + $5.00`: what fell into a tier, at its price. */
function tierText({ quantity, unitPrice, flatFee, upTo }: RatedTier, currency: string): string {
  const flat = flatFee.isZero() ? '' : ` + ${priceText(flatFee, currency)}`;
  const edge = upTo === null ? '' : `, up to ${quantityText(upTo)}`;
  return `${quantityText(quantity)} × ${priceText(unitPrice, currency)}${flat}${edge}`;
}
