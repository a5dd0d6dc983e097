import type { DatedInvoice } from '../../billing/invoices/invoice.ts';
import type { Customer, SubscriptionRecord } from '../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../core/decimal.ts';
import { notFound } from '../../core/domain-error.ts';
import { type CustomerFilter, findCustomer, listCustomers } from '../../sql/postgres/customers/customers.ts';
import { listNewestInvoices, sumAmountsDue } from '../../sql/postgres/invoices/invoices.ts';
import type { PageOf, PageWindow } from '../../sql/postgres/page-window.ts';
import { listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { CustomerRef } from '../references.ts';
import { loadSubscriptionRecords } from '../subscriptions/subscription-records.ts';
import type { Stores } from '../usage/answered-usage.ts';

/** Invoices that a customer's record shows (spec/customers#record). */
const NEWEST_INVOICES = 10;

/** Live subscriptions, newest invoices and total due of one customer. */
export type CustomerBilling = {
  subscriptions: SubscriptionRecord[];
  invoices: DatedInvoice[];
  totalAmountDue: Decimal;
};

/** A customer and what its record says of its billing. */
export type CustomerRecord = { customer: Customer; billing: CustomerBilling };

/** A customer with its billing. @throws DomainError `not_found` */
export async function loadCustomerRecord(
  stores: Stores,
  { accountId, customerId }: CustomerRef,
): Promise<CustomerRecord> {
  const customer = await findCustomer(stores.tx, accountId, customerId);
  if (!customer) throw notFound(`customer ${customerId}`);
  const billing = await loadCustomerBilling(stores, accountId, [customer]);
  return { customer, billing: billing.of(customer) };
}

/** One page of an account's customers with their billing. */
export async function listCustomerRecords(
  stores: Stores,
  accountId: string,
  filter: CustomerFilter,
  window: PageWindow,
): Promise<PageOf<CustomerRecord>> {
  const page = await listCustomers(stores.tx, accountId, filter, window);
  const billing = await loadCustomerBilling(stores, accountId, page.results);
  return { ...page, results: page.results.map((customer) => ({ customer, billing: billing.of(customer) })) };
}

/** What the records of these customers say of their billing, in a few statements however many customers there are. */
export async function loadCustomerBilling(
  { tx, usage }: Stores,
  accountId: string,
  customers: Customer[],
): Promise<{ of(customer: Customer): CustomerBilling }> {
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
