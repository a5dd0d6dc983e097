import type { Content, TableCell } from 'pdfmake/interfaces.js';
import type { InvoiceLine, IssuedInvoice } from '../billing/invoices/invoice.ts';
import type { RatedTier } from '../billing/pricing/model-price.ts';
import { periodText } from './date-text.ts';
import { moneyText, priceText, quantityText } from './money-text.ts';
import { GREY } from './page-style.ts';
import { textRuns } from './text-runs.ts';

/** What the charges of an invoice are, one row each; credits stand among the totals. */
export function lineRows({ invoice, timeZone }: { invoice: IssuedInvoice; timeZone: string }): TableCell[][] {
  const charges = invoice.lines.filter(({ type }) => type !== 'credit');
  return charges.map((line) => [
    { stack: [{ text: textRuns(line.description) }, ...details(line, invoice.currency, timeZone)] },
    { text: line.billableQuantity === null ? '' : quantityText(line.billableQuantity), alignment: 'right' },
    {
      text: textRuns(line.unitPrice === null ? '' : priceText(line.unitPrice, invoice.currency)),
      alignment: 'right',
      noWrap: true,
    },
    { text: textRuns(moneyText(line.amount, invoice.currency)), alignment: 'right', noWrap: true },
  ]);
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
