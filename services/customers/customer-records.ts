import type { DatedInvoice } from '../../billing/invoices/invoice.ts';
import type { Customer, SubscriptionRecord } from '../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../core/decimal.ts';
import { notFound } from '../../core/domain-error.ts';
import { LeftOut } from '../../core/left-out.ts';
import { MOST_LISTED } from '../../runtime/exact-json.ts';
import { type CustomerFilter, findCustomer, listCustomers } from '../../sql/postgres/customers/customers.ts';
import { sumAmountsDue } from '../../sql/postgres/invoices/invoices.ts';
import { listNewestInvoices } from '../../sql/postgres/invoices/shown-invoices.ts';
import { type AnswerRoom, fixedRoom, type PageOf, type PageWindow } from '../../sql/postgres/page-window.ts';
import { listShownSubscriptions } from '../../sql/postgres/subscriptions/shown-subscriptions.ts';
import type { CustomerRef } from '../references.ts';
import { loadSubscriptionRecords } from '../subscriptions/subscription-records.ts';
import type { Stores } from '../usage/answered-usage.ts';

/** Invoices that a customer's record shows (spec/customers#record). */
const NEWEST_INVOICES = 10;

/** A parameter that Postgres takes as an integer. */
const MOST_COUNTED = 2 ** 31 - 1;

/** Live subscriptions, newest invoices and total due of one customer. */
export type CustomerBilling = {
  subscriptions: SubscriptionRecord[];
  invoices: DatedInvoice[];
  totalAmountDue: Decimal;
};

/** The billing part of a customer in the audit log, which keeps none of it. */
export const NO_BILLING: CustomerBilling = { subscriptions: [], invoices: [], totalAmountDue: decimal(0) };

/** A customer and what its record says of its billing. */
export type CustomerRecord = { customer: Customer; billing: CustomerBilling };

/** A customer with its billing. @throws DomainError `not_found` */
export async function loadCustomerRecord(
  stores: Stores,
  { accountId, customerId }: CustomerRef,
  room = fixedRoom(),
): Promise<CustomerRecord> {
  const customer = await findCustomer(stores.tx, accountId, customerId);
  if (!customer) throw notFound(`customer ${customerId}`);
  const billing = await loadCustomerBilling(stores, accountId, [customer], { room });
  return { customer, billing: billing.of(customer) };
}

/** One page of an account's customers with their billing; it ends before the first of whom not all fits into it. */
export async function listCustomerRecords(
  stores: Stores,
  accountId: string,
  filter: CustomerFilter,
  window: PageWindow,
): Promise<PageOf<CustomerRecord>> {
  const page = await listCustomers(stores.tx, accountId, filter, window);
  const { room } = window;
  const billing = await loadCustomerBilling(stores, accountId, page.results, { room, most: MOST_LISTED });
  const all = page.results.map((customer) => ({ customer, billing: billing.of(customer) }));
  const end = all.findIndex(({ customer }, i) => i > 0 && billing.isCut(customer));
  if (end === -1) return { ...page, results: all };
  return { ...page, results: all.slice(0, end), places: page.places.slice(0, end), hasNext: true };
}

type Billings = { of(customer: Customer): CustomerBilling; isCut(customer: Customer): boolean };

/**
 * What the records of these customers say of their billing, in a few statements however many customers there are. What does not fit into `room` is
 * left out, and so are the subscriptions of who has more than `most`.
 */
export async function loadCustomerBilling(
  { tx, usage }: Stores,
  accountId: string,
  customers: Customer[],
  { room = fixedRoom(), most = MOST_COUNTED }: { room?: AnswerRoom | undefined; most?: number } = {},
): Promise<Billings> {
  const customerIds = customers.map((customer) => customer.customerId);
  const { bytes } = room;
  const live = await listShownSubscriptions(tx, accountId, { customerIds, bytes }, most);
  const isLiveCut = (own: unknown) => own instanceof LeftOut && own.entryCount <= most;
  if ([...live.values()].some(isLiveCut)) room.needMore();
  const invoices = await listNewestInvoices(tx, accountId, { customerIds, bytes }, NEWEST_INVOICES);
  if ([...invoices.values()].some((own) => own instanceof LeftOut)) room.needMore();
  const shown = [...live.values()].flatMap((own) => [...own]);
  const subscriptions = await loadSubscriptionRecords({ tx, usage }, accountId, shown, MOST_LISTED);
  const recordsOf = Map.groupBy(subscriptions, (one) => one.customerId);
  const due = await sumAmountsDue(tx, accountId, customerIds);
  return {
    of: ({ customerId }) => {
      const own = live.get(customerId) ?? [];
      return {
        subscriptions: own instanceof LeftOut ? own.map<SubscriptionRecord>() : (recordsOf.get(customerId) ?? []),
        invoices: invoices.get(customerId) ?? [],
        totalAmountDue: due.get(customerId) ?? decimal(0),
      };
    },
    isCut: ({ customerId }) => {
      return isLiveCut(live.get(customerId)) || invoices.get(customerId) instanceof LeftOut;
    },
  };
}
