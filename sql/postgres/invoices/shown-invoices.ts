import type { InvoiceKind, InvoiceLine, InvoiceSection, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import type { InvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import type { LocalDate } from '../../../core/instants.ts';
import { leftOut } from '../../../core/left-out.ts';
import { MOST_LISTED } from '../../../runtime/exact-json.ts';
import { byCustomer, type OfCustomerRow, type OfCustomers, wholeWithinBytes } from '../customers/of-customers.ts';
import { findPage, type ListSort, type PageOf, type PageWindow, sortedBy } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import type { StoredHeld } from './held-combinations.ts';
import { whereDue, whereFound, wherePastDue } from './invoice-conditions.ts';
import { SECTIONS_OF_INVOICE, type SectionOfInvoiceRow } from './invoice-sections.ts';
import {
  type InvoiceRow,
  invoiceFromRow,
  LINES,
  type LineRow,
  lineFromRow,
  OF_CUSTOMER,
  OF_INVOICE,
  OWN_COLUMNS,
} from './invoices.ts';

/** What is shown of an invoice, whose large members are left out: null, and how many entries they have. */
type ShownRow = Omit<InvoiceRow, 'lines' | 'sections' | 'held'> & {
  lines: LineRow[] | null;
  lines_count: number;
  charges_subtotal: string;
  discount_amount: string;
  sections: SectionOfInvoiceRow[] | null;
  sections_count: number;
  held: StoredHeld[] | null;
  held_count: number | null;
};

/** Sums and counts of what may be left out of an invoice. */
const OF_PARTS = `CROSS JOIN LATERAL (SELECT count(*)::int AS lines_count,
    coalesce(sum(l.amount) FILTER (WHERE l.type <> 'credit'), 0) AS charges_subtotal,
    coalesce(-sum(l.amount) FILTER (WHERE l.type = 'discount'), 0) AS discount_amount FROM invoice_lines l WHERE ${OF_INVOICE}) lined
  CROSS JOIN LATERAL (SELECT count(*)::int AS sections_count FROM invoice_sections x
    WHERE i.subscription_id IS NULL AND x.account_id = i.account_id AND x.invoice_id = i.invoice_id) sectioned`;

/** A line as JSON; only one of many bytes can have members that are left out. */
const LISTED_LINE = `CASE WHEN octet_length(l.tiers::text) + coalesce(octet_length(l.basis::text), 0) > 2000
  THEN json_as_listed(to_jsonb(l)) ELSE to_jsonb(l) END`;

/** As {@link COLUMNS}, for an invoice with {@link OF_PARTS}: without what `isShown` does not hold for. */
function shownColumns(isShown: (count: string) => string): string {
  const lines = LINES.replace('to_jsonb(l)', LISTED_LINE);
  const held = 'jsonb_array_length(i.held)';
  return `${OWN_COLUMNS}, lined.*, sectioned.*,
    CASE WHEN ${isShown('lined.lines_count')} THEN ${lines} END AS lines,
    CASE WHEN ${isShown('sectioned.sections_count')} THEN ${SECTIONS_OF_INVOICE} END AS sections,
    CASE WHEN ${isShown(held)} THEN i.held END AS held, ${held} AS held_count`;
}

const LISTED_COLUMNS = shownColumns((count) => `${count} <= ${MOST_LISTED}`);

/** The bytes of what may be left out of an invoice. */
const PART_BYTES = `(SELECT coalesce(sum(octet_length(l::text)), 0) FROM invoice_lines l WHERE ${OF_INVOICE})
  + coalesce(octet_length(i.held::text), 0) + sectioned.sections_count * 400`;

/** As {@link findInvoice}, as it is shown: without its large members where it has more than so many bytes (spec/api#large-members). */
export async function findInvoiceShown(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
  bytes: number,
): Promise<IssuedInvoice | undefined> {
  const columns = shownColumns((count) => `(${count} <= ${MOST_LISTED} OR ${PART_BYTES} <= $3)`);
  const answer = await tx.query<ShownRow>(
    `SELECT ${columns} FROM invoices i ${OF_CUSTOMER} ${OF_PARTS}
     WHERE i.account_id = $1 AND (i.invoice_id = $2 OR i.invoice_number = $2)`,
    [accountId, idOrNumber, bytes],
  );
  const row = firstRow(answer);
  return row && shownFromRow(row);
}

/** The id of an invoice, by its id or number, and its customer's; undefined where this account has none of that name. */
export async function findInvoiceOwner(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<{ invoiceId: string; customerId: string } | undefined> {
  const answer = await tx.query<{ invoice_id: string; customer_id: string }>(
    'SELECT invoice_id, customer_id FROM invoices WHERE account_id = $1 AND (invoice_id = $2 OR invoice_number = $2)',
    [accountId, idOrNumber],
  );
  const row = firstRow(answer);
  return row && { invoiceId: row.invoice_id, customerId: row.customer_id };
}

/** One page of the lines of an invoice, in their order, by its id. */
export function listInvoiceLines(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  window: PageWindow,
): Promise<PageOf<InvoiceLine>> {
  const equals = { account_id: accountId, invoice_id: invoiceId };
  const select = `${LISTED_LINE} AS line`;
  const list = { select, table: ['invoice_lines', 'l'], equals, key: 'ordinal', isAscending: true } as const;
  return findPage(tx, list, window, ({ line }: { line: LineRow }) => lineFromRow(line));
}

/** What invoices are sorted by; numbers are given in the order of age. */
export const INVOICE_SORTS = {
  created_at: 'i.created_at',
  issue_date: 'i.issue_date',
  due_date: 'i.due_date',
  total: 'i.total',
  amount_due: 'i.amount_due',
  invoice_number: 'i.seq',
} as const;

export type InvoiceFilter = {
  customerId?: string | undefined;
  subscriptionId?: string | undefined;
  status?: InvoiceStatus | undefined;
  number?: string | undefined;
  kind?: InvoiceKind | undefined;
  /** First and last issue date. */
  issuedFrom?: LocalDate | undefined;
  issuedTo?: LocalDate | undefined;
  /** Due earlier than on this date. */
  dueBefore?: LocalDate | undefined;
  /** At least so much is to be paid, in whatever currency. */
  minDue?: Decimal | undefined;
  /** Open, and due before its customer's today; or not so. */
  pastDue?: boolean | undefined;
  /** The beginning of a number, or of words of its customer's id, name and email. */
  search?: string | undefined;
  sort?: ListSort<keyof typeof INVOICE_SORTS> | undefined;
};

/** One page of an account's invoices, newest first unless sorted. */
export async function listInvoices(
  tx: Transaction,
  accountId: string,
  filter: InvoiceFilter,
  window: PageWindow,
): Promise<PageOf<IssuedInvoice>> {
  const { customerId, subscriptionId, status, number, kind } = filter;
  const equals = { customer_id: customerId, subscription_id: subscriptionId, status, invoice_number: number, kind };
  const { minDue, pastDue, search } = filter;
  const isAsked = [
    ...(minDue === undefined ? [] : [await whereDue(tx, accountId, minDue)]),
    ...(pastDue === undefined ? [] : await wherePastDue(tx, accountId, pastDue)),
    ...(search === undefined ? [] : [await whereFound(tx, accountId, search)]),
  ];
  const list = {
    select: LISTED_COLUMNS,
    table: ['invoices', 'i'],
    sortedFrom: 'invoices_in_order',
    joins: `${OF_CUSTOMER} ${OF_PARTS}`,
    equals: { account_id: accountId, ...equals },
    where: [
      ['i.issue_date >= ?', filter.issuedFrom],
      ['i.issue_date <= ?', filter.issuedTo],
      ['i.due_date < ?', filter.dueBefore],
      ...isAsked,
    ],
    sortBy: sortedBy(INVOICE_SORTS, filter.sort),
  } as const;
  return findPage(tx, list, window, shownFromRow);
}

/** The newest invoices of each of these customers, newest first, as a list shows them. */
export async function listNewestInvoices(
  tx: Transaction,
  accountId: string,
  { customerIds, bytes }: OfCustomers,
  perCustomer: number,
): Promise<Map<string, IssuedInvoice[]>> {
  const newest = `SELECT ${LISTED_COLUMNS}, wanted.place, -i.seq AS seq FROM unnest($2::text[]) WITH ORDINALITY AS wanted (customer_id, place)
    JOIN LATERAL (SELECT * FROM invoices o WHERE o.account_id = $1 AND o.customer_id = wanted.customer_id ORDER BY o.seq DESC LIMIT $3) i
      ON true ${OF_CUSTOMER} ${OF_PARTS}`;
  const values = [accountId, customerIds, perCustomer, bytes];
  return byCustomer(await tx.query<ShownRow & OfCustomerRow>(wholeWithinBytes(newest, '$4'), values), shownFromRow);
}

/** The invoice of a row of what is shown of it. */
function shownFromRow({ lines, sections, held, ...row }: ShownRow): IssuedInvoice {
  const invoice = invoiceFromRow({ ...row, lines: lines ?? [], sections: sections ?? [], held });
  const { lines_count, sections_count, held_count, charges_subtotal, discount_amount } = row;
  return {
    ...invoice,
    ...(lines === null && { lines: leftOut<InvoiceLine>(lines_count) }),
    ...(sections === null && { sections: leftOut<InvoiceSection>(sections_count) }),
    ...(held === null && held_count && { held: leftOut<HeldUsage>(held_count) }),
    sums: { chargesSubtotal: decimal(charges_subtotal), discountAmount: decimal(discount_amount) },
  };
}
