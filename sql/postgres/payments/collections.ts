import type { Account } from '../../../billing/accounts/account.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import {
  type CollectionStep,
  collectionDueAt,
  nextCollectionStep,
  type PaymentAttempt,
} from '../../../billing/payments/collection.ts';
import type { Customer } from '../../../billing/subscriptions/subscription.ts';
import { loadAccount } from '../accounts/accounts.ts';
import { findCustomer, loadCustomer } from '../customers/customers.ts';
import { loadInvoice } from '../invoices/invoices.ts';
import { INVOICE_COLLECTABLE, type NewOutboxEvent } from '../outbox.ts';
import { acrossAccounts, type Pool, type Transaction } from '../postgres.ts';
import { listAttempts } from './payment-attempts.ts';

/** An invoice with all that decides how it is collected; `step`: what comes next, if anything. */
export type Collection = {
  account: Account;
  customer: Customer;
  invoice: IssuedInvoice;
  attempts: PaymentAttempt[];
  step: CollectionStep | null;
};

/** The collection of an invoice. A charge is next only while its customer can be charged (spec/payments#collection). */
export async function loadCollection(tx: Transaction, accountId: string, invoiceId: string): Promise<Collection> {
  const invoice = await loadInvoice(tx, accountId, invoiceId);
  const account = await loadAccount(tx, accountId);
  const customer = await loadCustomer(tx, accountId, invoice.customerId);
  const attempts = await listAttempts(tx, accountId, invoice.invoiceId);
  const { status } = invoice;
  const dueAt = collectionDueAt(invoice, customer.timeZone);
  const step = nextCollectionStep({ status, dueAt, attempts, retryDays: account.paymentRetryDays });
  const isIdle = step?.kind === 'charge' && !(await canBeCharged(tx, accountId, customer));
  return { account, customer, invoice, attempts, step: isIdle ? null : step };
}

/** Whether the customer is there, has a payment method, and the account a connection to its processor. */
async function canBeCharged(tx: Transaction, accountId: string, customer: Customer): Promise<boolean> {
  const { paymentProvider, paymentProviderId, hasPaymentMethod, customerId } = customer;
  if (paymentProvider === null || paymentProviderId === null || !hasPaymentMethod) return false;
  const sql = 'SELECT 1 FROM processor_connections WHERE account_id = $1 AND provider = $2';
  if ((await tx.query(sql, [accountId, paymentProvider])).rowCount === 0) return false;
  return (await findCustomer(tx, accountId, customerId)) !== undefined;
}

/** Returns the open invoices of a customer, oldest first, and whether each was tried to collect. */
export async function findOpenInvoices(
  tx: Transaction,
  accountId: string,
  customerId: string,
): Promise<{ invoiceId: string; wasTried: boolean }[]> {
  const { rows } = await tx.query<{ invoice_id: string; was_tried: boolean }>(
    `SELECT i.invoice_id, EXISTS (SELECT FROM payment_attempts a WHERE a.account_id = i.account_id
       AND a.invoice_id = i.invoice_id) AS was_tried
     FROM invoices i WHERE i.account_id = $1 AND i.customer_id = $2 AND i.status = 'open' ORDER BY i.seq`,
    [accountId, customerId],
  );
  return rows.map(({ invoice_id: invoiceId, was_tried: wasTried }) => ({ invoiceId, wasTried }));
}

/** Has the invoice's workflow look at it. */
export function collectableEvent({ invoiceId }: Pick<IssuedInvoice, 'invoiceId'>): NewOutboxEvent {
  return { type: INVOICE_COLLECTABLE, subject: `invoice/${invoiceId}`, data: { invoice_id: invoiceId } };
}

type InvoiceRef = { accountId: string; invoiceId: string };

/**
 * Invoices of every account whose collection should be running, for the reconcile sweep: an attempt lives, or they are open,
 * can be charged and are due on a day to come, or have been tried. Of customers in real time; on test clocks their steps wait.
 * `mayBeDue`: not those that wait for their due date.
 */
export function listCollections(pool: Pool): Promise<(InvoiceRef & { mayBeDue: boolean })[]> {
  return acrossAccounts(pool, async (tx) => {
    const answer = await tx.query<{ account_id: string; invoice_id: string; may_be_due: boolean }>(
      `SELECT DISTINCT account_id, invoice_id, true AS may_be_due FROM payment_attempts
       WHERE status NOT IN ('succeeded', 'failed')
       UNION
       SELECT account_id, invoice_id, due_date <= current_date + 1 OR tried FROM (
         SELECT i.account_id, i.invoice_id, i.due_date, EXISTS (
             SELECT FROM payment_attempts a WHERE a.account_id = i.account_id AND a.invoice_id = i.invoice_id) AS tried
         FROM invoices i JOIN customers c USING (account_id, customer_id)
           JOIN processor_connections p ON p.account_id = c.account_id AND p.provider = c.payment_provider
         WHERE i.status = 'open' AND c.has_payment_method AND c.payment_provider_id IS NOT NULL AND c.deleted_at IS NULL
           AND c.test_clock_id IS NULL
       ) chargeable WHERE due_date >= current_date - 1 OR tried`,
    );
    return answer.rows.map((row) => ({
      accountId: row.account_id,
      invoiceId: row.invoice_id,
      mayBeDue: row.may_be_due,
    }));
  });
}
