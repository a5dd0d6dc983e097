import type { Address, Customer } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { findPage, type ListSort, type PageOf, type PageWindow, sortedBy } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import { whereWords } from './customer-words.ts';

type CustomerRow = {
  customer_id: string;
  customer_name: string;
  email: string;
  currency: string;
  payment_provider: string | null;
  payment_provider_id: string | null;
  has_payment_method: boolean;
  tax_rate: string;
  timezone: string;
  billing_address: Address | null;
  test_clock_id: string | null;
  billed_to: string | null;
  is_payer: boolean;
  frozen_time: Instant | null;
  has_discounts: boolean;
  metadata: Record<string, string>;
  created_at: Instant;
};

// One look into an index for each row: an EXISTS may be planned as a scan of all discounts.
const HAS_DISCOUNTS = `coalesce((SELECT true FROM discounts d WHERE d.account_id = c.account_id
  AND d.customer_id = c.customer_id LIMIT 1), false)`;
const COLUMNS = `c.customer_id, c.customer_name, c.email, c.currency, c.payment_provider, c.payment_provider_id,
  c.has_payment_method, c.tax_rate, c.timezone, c.billing_address, c.test_clock_id, c.metadata, c.created_at,
  t.frozen_time, b.payer_id AS billed_to,
  EXISTS (SELECT FROM billed_to o WHERE o.account_id = c.account_id AND o.payer_id = c.customer_id) AS is_payer,
  ${HAS_DISCOUNTS} AS has_discounts`;
const OF_CLOCK = `LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id
  LEFT JOIN billed_to b ON b.account_id = c.account_id AND b.customer_id = c.customer_id`;
const CUSTOMERS = `customers c ${OF_CLOCK}`;

/** The customer, or undefined where it does not exist or was deleted. */
export async function findCustomer(
  tx: Transaction,
  accountId: string,
  customerId: string,
): Promise<Customer | undefined> {
  const answer = await tx.query<CustomerRow>(
    `SELECT ${COLUMNS} FROM ${CUSTOMERS} WHERE c.account_id = $1 AND c.customer_id = $2 AND c.deleted_at IS NULL`,
    [accountId, customerId],
  );
  const row = firstRow(answer);
  return row && customerFromRow(row);
}

/** The test clock of a subscription's customer; null for real time. */
export async function findTestClockId(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<string | null> {
  const answer = await tx.query<{ test_clock_id: string | null }>(
    `SELECT c.test_clock_id FROM subscriptions s JOIN customers c USING (account_id, customer_id)
     WHERE s.account_id = $1 AND s.subscription_id = $2`,
    [accountId, subscriptionId],
  );
  return firstRow(answer)?.test_clock_id ?? null;
}

/** Those of the customers that exist and were not deleted, in no order. */
export async function findCustomers(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<Customer[]> {
  const answer = await tx.query<CustomerRow>(
    `SELECT ${COLUMNS} FROM ${CUSTOMERS} WHERE c.account_id = $1 AND c.customer_id = ANY($2) AND c.deleted_at IS NULL`,
    [accountId, customerIds],
  );
  return answer.rows.map(customerFromRow);
}

/** As {@link findCustomer}, and nobody changes or deletes it until the transaction ends: for what is made for it. */
export async function lockCustomerForShare(tx: Transaction, accountId: string, customerId: string) {
  return lockRow(tx, accountId, customerId, 'FOR SHARE');
}

/**
 * As {@link findCustomer}, and locked for a change until the transaction ends. Rows that name the customer may still be
 * written by others, so whoever holds one of its subscriptions does not wait for this.
 */
export async function lockCustomerForUpdate(tx: Transaction, accountId: string, customerId: string) {
  return lockRow(tx, accountId, customerId, 'FOR NO KEY UPDATE');
}

async function lockRow(
  tx: Transaction,
  accountId: string,
  customerId: string,
  mode: 'FOR SHARE' | 'FOR NO KEY UPDATE',
) {
  await tx.query(`SELECT 1 FROM customers WHERE account_id = $1 AND customer_id = $2 ${mode}`, [accountId, customerId]);
  return findCustomer(tx, accountId, customerId);
}

/** The customer of a resource that exists: it must be there, also when it was deleted. */
export async function loadCustomer(tx: Transaction, accountId: string, customerId: string): Promise<Customer> {
  const sql = `SELECT ${COLUMNS} FROM ${CUSTOMERS} WHERE c.account_id = $1 AND c.customer_id = $2`;
  const row = firstRow(await tx.query<CustomerRow>(sql, [accountId, customerId]));
  if (!row) throw new Error(`customer ${customerId} is missing`);
  return customerFromRow(row);
}

/** Who is billed for a customer: itself, or the one that pays for it. */
export async function loadPayer(tx: Transaction, accountId: string, customer: Customer): Promise<Customer> {
  return customer.billedTo === null ? customer : loadCustomer(tx, accountId, customer.billedTo);
}

/** What customers are sorted by; names without regard to case. */
export const CUSTOMER_SORTS = {
  created_at: 'c.created_at',
  customer_name: 'lower(c.customer_name)',
  customer_id: 'c.customer_id',
} as const;

export type CustomerFilter = {
  /** Beginnings of words of id, name and email, in any case; all of them must be there. */
  search?: string | undefined;
  testClockId?: string | undefined;
  billedTo?: string | undefined;
  sort?: ListSort<keyof typeof CUSTOMER_SORTS> | undefined;
};

const BILLED_TO = `c.customer_id IN (SELECT o.customer_id FROM billed_to o WHERE o.account_id = c.account_id AND o.payer_id = ?)`;

/** One page of an account's customers, newest first unless sorted. */
export async function listCustomers(
  tx: Transaction,
  accountId: string,
  { search, testClockId, billedTo, sort }: CustomerFilter,
  window: PageWindow,
): Promise<PageOf<Customer>> {
  const isFound = search === undefined ? [] : await whereWords(tx, accountId, search);
  const list = {
    select: COLUMNS,
    table: ['customers', 'c'],
    joins: OF_CLOCK,
    sortedFrom: 'customers_in_order',
    equals: { account_id: accountId, test_clock_id: testClockId },
    where: [['c.deleted_at IS NULL'], [BILLED_TO, billedTo], ...isFound],
    sortBy: sortedBy(CUSTOMER_SORTS, sort),
  } as const;
  return findPage(tx, list, window, customerFromRow);
}

/** Stores a new customer; false where its id is taken, also by a deleted one (spec/customers#deletion). */
export async function insertCustomer(tx: Transaction, accountId: string, customer: Customer): Promise<boolean> {
  const answer = await tx.query(
    `INSERT INTO customers (account_id, customer_id, customer_name, email, currency, payment_provider, payment_provider_id,
       has_payment_method, tax_rate, timezone, billing_address, test_clock_id, metadata, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     ON CONFLICT DO NOTHING`,
    [
      accountId,
      customer.customerId,
      customer.customerName,
      customer.email,
      customer.currency,
      customer.paymentProvider,
      customer.paymentProviderId,
      customer.hasPaymentMethod,
      customer.taxRate.toFixed(),
      customer.timeZone,
      customer.billingAddress,
      customer.testClockId,
      customer.metadata,
      isoFromInstant(customer.createdAt),
    ],
  );
  return answer.rowCount === 1;
}

/** Stores all that a PATCH may change (spec/customers#record). */
export async function updateCustomer(tx: Transaction, accountId: string, customer: Customer): Promise<void> {
  await tx.query(
    `UPDATE customers SET customer_name = $3, email = $4, currency = $5, payment_provider = $6, payment_provider_id = $7,
       tax_rate = $8, timezone = $9, billing_address = $10, test_clock_id = $11, metadata = $12, has_payment_method = $13
     WHERE account_id = $1 AND customer_id = $2`,
    [
      accountId,
      customer.customerId,
      customer.customerName,
      customer.email,
      customer.currency,
      customer.paymentProvider,
      customer.paymentProviderId,
      customer.taxRate.toFixed(),
      customer.timeZone,
      customer.billingAddress,
      customer.testClockId,
      customer.metadata,
      customer.hasPaymentMethod,
    ],
  );
}

/** Stores whether the processor has a payment method of the customer. */
export async function updatePaymentMethod(
  tx: Transaction,
  accountId: string,
  customerId: string,
  hasPaymentMethod: boolean,
): Promise<void> {
  await tx.query('UPDATE customers SET has_payment_method = $3 WHERE account_id = $1 AND customer_id = $2', [
    accountId,
    customerId,
    hasPaymentMethod,
  ]);
}

/** The customers who are this payer, at this processor, or all of that processor's. */
export async function listCustomersOfPayer(
  tx: Transaction,
  accountId: string,
  { provider, payer }: { provider: string; payer: string | null },
): Promise<Customer[]> {
  const answer = await tx.query<CustomerRow>(
    `SELECT ${COLUMNS} FROM ${CUSTOMERS} WHERE c.account_id = $1 AND c.deleted_at IS NULL AND c.payment_provider = $2
       AND c.payment_provider_id ${payer === null ? 'IS NOT NULL' : '= $3'}
     ORDER BY c.seq`,
    [accountId, provider, ...(payer === null ? [] : [payer])],
  );
  return answer.rows.map(customerFromRow);
}

/** Deletes a customer: its row stays, so that its id stays taken, without name, email, address and metadata (spec/customers#deletion). */
export async function deleteCustomer(tx: Transaction, accountId: string, customerId: string, at: Instant) {
  await tx.query(
    `UPDATE customers SET deleted_at = $3, customer_name = '', email = '', billing_address = NULL, metadata = '{}'
     WHERE account_id = $1 AND customer_id = $2`,
    [accountId, customerId, isoFromInstant(at)],
  );
}

/** What a customer has been through; `billed`: it has invoices. */
export async function loadCustomerHistory(tx: Transaction, accountId: string, customerId: string) {
  // The newest by its index, not EXISTS: of a customer with many that may read a whole table until it meets one.
  const has = (table: string) =>
    `(SELECT true FROM ${table} WHERE account_id = $1 AND customer_id = $2 ORDER BY seq DESC LIMIT 1) IS NOT NULL`;
  const answer = await tx.query<{ billed: boolean; subscribed: boolean; live: boolean; credited: boolean }>(
    `SELECT ${has('invoices')} AS billed, ${has('subscriptions')} AS subscribed,
       EXISTS (SELECT FROM subscriptions
         WHERE account_id = $1 AND customer_id = $2 AND status IN ('pending', 'active', 'paused')) AS live,
       ${has('credits')} AS credited`,
    [accountId, customerId],
  );
  const row = firstRow(answer);
  if (!row) throw new Error('a row without a table is missing');
  return row;
}

function customerFromRow(row: CustomerRow): Customer {
  return {
    customerId: row.customer_id,
    customerName: row.customer_name,
    email: row.email,
    currency: row.currency,
    paymentProvider: row.payment_provider,
    paymentProviderId: row.payment_provider_id,
    hasPaymentMethod: row.has_payment_method,
    taxRate: decimal(row.tax_rate),
    timeZone: row.timezone,
    billingAddress: row.billing_address,
    testClockId: row.test_clock_id,
    billedTo: row.billed_to,
    isPayer: row.is_payer,
    clockTime: row.frozen_time,
    hasDiscounts: row.has_discounts,
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}
