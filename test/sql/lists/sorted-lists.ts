import { CREDIT_SORTS, listCredits } from '../../../sql/postgres/credits/credits.ts';
import { listRefunds, REFUND_SORTS } from '../../../sql/postgres/credits/refunds.ts';
import { CUSTOMER_SORTS, listCustomers } from '../../../sql/postgres/customers/customers.ts';
import { INVOICE_SORTS, listInvoices } from '../../../sql/postgres/invoices/shown-invoices.ts';
import type { ListSort, ListSorts, PageWindow } from '../../../sql/postgres/page-window.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { listSubscriptions, SUBSCRIPTION_SORTS } from '../../../sql/postgres/subscriptions/shown-subscriptions.ts';

type AskedSorted = (tx: Transaction, account: string, _: unknown, page: PageWindow) => Promise<unknown>;

type ListSorted = (
  tx: Transaction,
  account: string,
  filter: { sort: ListSort<never> },
  window: PageWindow,
) => Promise<unknown>;

/** Each list that can be sorted, by each of its fields, from either end. */
const SORTED = Object.entries<[ListSorted, ListSorts<string>]>({
  listCredits: [listCredits, CREDIT_SORTS],
  listCustomers: [listCustomers, CUSTOMER_SORTS],
  listInvoices: [listInvoices, INVOICE_SORTS],
  listRefunds: [listRefunds, REFUND_SORTS],
  listSubscriptions: [listSubscriptions, SUBSCRIPTION_SORTS],
}).flatMap(([name, [list, sorts]]) =>
  Object.keys(sorts).flatMap((field) =>
    [false, true].map((descending): [string, AskedSorted] => [
      `${name} by ${field}${descending ? ', highest first' : ''}`,
      (tx, a, _, page) => list(tx, a, { sort: { field: field as never, descending } }, page),
    ]),
  ),
);

export const OF_SORTS: Record<string, AskedSorted> = Object.fromEntries(SORTED);
