import type { InvoiceKind, InvoiceLine, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import type { InvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import type { LocalDate } from '../../../core/instants.ts';
import { byCustomer, type OfCustomerRow, type OfCustomers, wholeWithinBytes } from '../customers/of-customers.ts';
import { findPage, type ListSort, type PageOf, type PageWindow, sortedBy } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';
import { whereDue, whereFound, wherePastDue } from './invoice-conditions.ts';
import {
  CHARGE_OF_LINE,
  LISTED_COLUMNS,
  LISTED_LINE,
  type LineRow,
  type ListedRow,
  lineFromRow,
  OF_CUSTOMER,
  OF_PARTS,
  REVERSED_AMOUNT,
  shownFromRow,
} from './invoice-rows.ts';

/** One page of the lines of an invoice, in their order, by its id. */
export function listInvoiceLines(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  window: PageWindow,
): Promise<PageOf<InvoiceLine>> {
  const equals = { account_id: accountId, invoice_id: invoiceId };
  const select = `${LISTED_LINE} AS line, ${REVERSED_AMOUNT}`;
  const from = { table: ['invoice_lines', 'l'], joins: CHARGE_OF_LINE } as const;
  const list = { ...from, select, equals, key: 'ordinal', isAscending: true } as const;
  return findPage(tx, list, window, ({ line, reversed_amount }: { line: LineRow; reversed_amount: string | null }) =>
    lineFromRow({ ...line, reversed_amount: reversed_amount === null ? null : decimal(reversed_amount) }),
  );
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
  const newest = `SELECT ${LISTED_COLUMNS}, wanted.place, -i.seq AS seq, 0 AS bytes_beside FROM unnest($2::text[]) WITH ORDINALITY AS wanted (customer_id, place)
    JOIN LATERAL (SELECT * FROM invoices o WHERE o.account_id = $1 AND o.customer_id = wanted.customer_id ORDER BY o.seq DESC LIMIT $3) i
      ON true ${OF_CUSTOMER} ${OF_PARTS}`;
  const values = [accountId, customerIds, perCustomer, bytes];
  return byCustomer(await tx.query<ListedRow & OfCustomerRow>(wholeWithinBytes(newest, '$4'), values), shownFromRow);
}
