import type { Content, TableCell, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import type { IssuedInvoice } from '../billing/invoices/invoice.ts';
import type { Address } from '../billing/subscriptions/subscription.ts';
import type { Decimal } from '../core/decimal.ts';
import { localDateAt } from '../core/instants.ts';
import { carriedForward } from './carried-forward.ts';
import { dateText, periodText } from './date-text.ts';
import { BASE_FAMILY } from './fonts.ts';
import { type LineRow, lineRows } from './line-rows.ts';
import { moneyText } from './money-text.ts';
import { GREY, INK, RULE, ruled } from './page-style.ts';
import { textRuns } from './text-runs.ts';
import { totalRows } from './total-rows.ts';

/** An issued invoice, by whom it was issued, and the zone in which its periods are dates. */
export type InvoiceToPrint = { invoice: IssuedInvoice; issuerName: string; timeZone: string };

/** Points: A4 with room for the footer. */
const MARGINS: [number, number, number, number] = [48, 48, 48, 64];

/**
 * The invoice as a document of pdfmake. It says nothing that depends on the day it is printed on, so that it is the same
 * document whenever it is asked for; only a payment, a refund, a credit or a void changes it.
 */
export function invoiceDocument(print: InvoiceToPrint): TDocumentDefinitions {
  const { invoice, issuerName } = print;
  const rows = lineRows(print);
  return {
    info: {
      title: `Invoice ${invoice.invoiceNumber}`,
      author: issuerName,
      creator: 'Meterbook',
      producer: 'Meterbook',
      creationDate: new Date(invoice.createdAt),
    },
    language: 'en',
    pageSize: 'A4',
    pageMargins: MARGINS,
    defaultStyle: { font: BASE_FAMILY, fontSize: 9, lineHeight: 1.2, color: INK },
    content: [head(print), parties(print), summary(print), lines(rows), totals(print), ...payments(print)],
    footer: (page, pages) => footer(print, { page, pages, carried: carriedForward(rows, page) }),
  };
}

const STATUS_TEXTS: Record<IssuedInvoice['status'], string> = {
  draft: 'Draft',
  open: '',
  paid: 'Paid',
  void: 'Void',
  uncollectible: 'Uncollectible',
};
const STATUS_COLORS: Record<IssuedInvoice['status'], string> = {
  draft: GREY,
  open: INK,
  paid: '#1a7f4b',
  void: '#b42318',
  uncollectible: '#b42318',
};

function head({ invoice, issuerName }: InvoiceToPrint): Content {
  const mark = { text: STATUS_TEXTS[invoice.status].toUpperCase(), color: STATUS_COLORS[invoice.status] };
  return {
    columns: [
      { text: textRuns(issuerName), fontSize: 15, bold: true, width: '*' },
      {
        stack: [
          { text: 'Invoice', fontSize: 20, bold: true },
          { ...mark, fontSize: 11, bold: true, characterSpacing: 1 },
        ],
        alignment: 'right',
        width: 160,
      },
    ],
    margin: [0, 0, 0, 24],
  };
}

function parties(print: InvoiceToPrint): Content {
  const { invoice } = print;
  const { customerName, customerId, billingAddress } = invoice;
  const name = customerName === '' ? customerId : customerName;
  return {
    columns: [
      {
        stack: [
          { text: 'Billed to', color: GREY, margin: [0, 0, 0, 2] },
          { text: textRuns(name), bold: true, fontSize: 10 },
          ...addressLines(billingAddress).map((line): Content => ({ text: textRuns(line) })),
        ],
        width: '*',
      },
      {
        ...ruled(
          facts(print).map(([label, value]) => factRow(label, value)),
          ['auto', '*'],
        ),
        width: 240,
      },
    ],
    columnGap: 24,
    margin: [0, 0, 0, 24],
  };
}

function factRow(label: string, value: string): TableCell[] {
  return [
    { text: label, color: GREY, noWrap: true },
    { text: textRuns(value), alignment: 'right' },
  ];
}

function facts({ invoice, timeZone }: InvoiceToPrint): [string, string][] {
  const { invoiceNumber, issueDate, dueDate, periodStart, periodEnd, customerId, paidAt, voidedAt } = invoice;
  const dated = (at: number) => dateText(localDateAt(at, timeZone));
  const period = periodStart === null || periodEnd === null ? null : periodText(periodStart, periodEnd, timeZone);
  const known: [string, string | null][] = [
    ['Invoice number', invoiceNumber],
    ['Date of issue', dateText(issueDate)],
    ['Date due', dateText(dueDate)],
    ['Period', period],
    ['Customer', customerId],
    ['Paid', paidAt === null ? null : dated(paidAt)],
    ['Voided', voidedAt === null ? null : dated(voidedAt)],
  ];
  return known.flatMap(([label, text]): [string, string][] => (text === null ? [] : [[label, text]]));
}

/** As it is written on a letter; a part that is missing leaves no hole. */
function addressLines(address: Address | null): string[] {
  const { line1, postal_code, city, state, country } = address ?? {};
  const place = [postal_code, city].filter(Boolean).join(' ');
  return [line1, [place, state].filter(Boolean).join(', '), country].flatMap((line) => (line ? [line] : []));
}

/** The one sentence that most readers look for. */
function summary({ invoice }: InvoiceToPrint): Content {
  const { status, currency, amountDue, amountPaid, dueDate } = invoice;
  const due = `${moneyText(amountDue, currency)} due by ${dateText(dueDate)}`;
  const text = {
    draft: due,
    open: due,
    uncollectible: `${moneyText(amountDue, currency)} unpaid`,
    paid: amountPaid.gt(0) ? `${moneyText(amountPaid, currency)} paid` : 'Nothing is due.',
    void: 'This invoice is void: nothing is due.',
  }[status];
  return { text: textRuns(text), fontSize: 14, bold: true, margin: [0, 0, 0, 12] };
}

function lines(rows: readonly LineRow[]): Content {
  const heading = (text: string, alignment: 'left' | 'right') => ({ text, alignment, color: GREY, fontSize: 8 });
  return {
    table: {
      headerRows: 1,
      dontBreakRows: true,
      widths: ['*', 'auto', 'auto', 80],
      body: [
        [
          heading('Description', 'left'),
          heading('Quantity', 'right'),
          heading('Unit price', 'right'),
          heading('Amount', 'right'),
        ],
        ...rows.map(({ cells }) => cells),
      ],
    },
    layout: {
      hLineWidth: (i) => (i === 0 ? 0 : i === 1 ? 0.8 : 0.3),
      vLineWidth: () => 0,
      hLineColor: (i) => (i === 1 ? INK : RULE),
      paddingLeft: (i) => (i === 0 ? 0 : 8),
      paddingRight: (i) => (i === 3 ? 0 : 8),
      paddingTop: () => 5,
      paddingBottom: () => 5,
    },
    margin: [0, 0, 0, 12],
  };
}

/** Kept together: a total that stands alone on a page says nothing. */
function totals({ invoice }: InvoiceToPrint): Content {
  return {
    columns: [
      { text: '', width: '*' },
      { ...ruled(totalRows(invoice)), width: 260 },
    ],
    unbreakable: true,
  };
}

function payments({ invoice, timeZone }: InvoiceToPrint): Content[] {
  if (invoice.payments.length === 0) return [];
  const rows = invoice.payments.map(({ paidAt, method, reference, amount }): TableCell[] => [
    { text: dateText(localDateAt(paidAt, timeZone)) },
    { text: textRuns([method, reference].filter(Boolean).join(', ')) },
    { text: textRuns(moneyText(amount, invoice.currency)), alignment: 'right' },
  ]);
  const title: Content = { text: 'Payments', bold: true, fontSize: 10, margin: [0, 16, 0, 4] };
  return [{ stack: [title, ruled(rows, ['auto', '*', 'auto'])], unbreakable: rows.length < 10 }];
}

type Foot = { page: number; pages: number; carried: Decimal | null };

function footer({ invoice, issuerName }: InvoiceToPrint, { page, pages, carried }: Foot): Content {
  const sum = carried === null ? '' : `Carried forward ${moneyText(carried, invoice.currency)}`;
  return {
    columns: [
      { text: [{ text: `${invoice.invoiceNumber} · ` }, ...textRuns(issuerName)], width: '*' },
      { text: `Page ${page} of ${pages}`, alignment: 'center', width: 80 },
      { text: textRuns(sum), alignment: 'right', width: '*' },
    ],
    fontSize: 8,
    color: GREY,
    margin: [MARGINS[0], 24, MARGINS[2], 0],
  };
}
