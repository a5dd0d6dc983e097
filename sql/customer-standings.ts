import { type Decimal, decimal } from '../billing/decimal.ts';
import type { DatedInvoice } from '../billing/invoice.ts';
import type { Customer, SubscriptionRecord } from '../billing/subscription.ts';
import type { Stores } from './answered-usage.ts';
import { listNewestInvoices } from './invoices.ts';
import type { Transaction } from './postgres.ts';
import { loadSubscriptionRecords } from './subscription-records.ts';
import { listLiveSubscriptions } from './subscriptions.ts';

/** Invoices that a customer's record shows (spec/customers#record). */
const NEWEST_INVOICES = 10;

/** Live subscriptions, newest invoices and total due of one customer. */
export type Standing = { subscriptions: SubscriptionRecord[]; invoices: DatedInvoice[]; totalAmountDue: Decimal };

/** What the records of these customers say of their billing, in a few statements however many customers there are. */
export async function loadCustomerStandings(
  { tx, usage }: Stores,
  accountId: string,
  customers: Customer[],
): Promise<{ of(customer: Customer): Standing }> {
  const ids = customers.map((customer) => customer.customerId);
  const live = await listLiveSubscriptions(tx, accountId, ids);
  const subscriptions = await loadSubscriptionRecords({ tx, usage }, accountId, live);
  const invoices = await listNewestInvoices(tx, accountId, ids, NEWEST_INVOICES);
  const due = await sumAmountsDue(tx, accountId, ids);
  return {
    of: (customer) => ({
      subscriptions: subscriptions.filter((one) => one.customerId === customer.customerId),
      invoices: invoices.filter((one) => one.customerId === customer.customerId),
      totalAmountDue: due.get(customer.customerId) ?? decimal(0),
    }),
  };
}

/** Sum of `amount_due` over open and uncollectible invoices, per customer (spec/customers#record). */
async function sumAmountsDue(tx: Transaction, accountId: string, customerIds: string[]) {
  const { rows } = await tx.query<{ customer_id: string; due: string }>(
    `SELECT customer_id, sum(amount_due) AS due FROM invoices
     WHERE account_id = $1 AND customer_id = ANY($2) AND status IN ('open', 'uncollectible') GROUP BY customer_id`,
    [accountId, customerIds],
  );
  return new Map(rows.map((row) => [row.customer_id, decimal(row.due)]));
}
