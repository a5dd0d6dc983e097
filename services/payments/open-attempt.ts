import { isLiveAttempt, type PaymentAttempt } from '../../billing/payments/collection.ts';
import { nextInvoiceStatus } from '../../billing/subscriptions/states.ts';
import { conflict, unavailable } from '../../core/domain-error.ts';
import type { ConnectedProcessor } from '../../outbound/processors/connections.ts';
import { ProcessorError } from '../../outbound/processors/processor.ts';
import { updatePaymentMethod } from '../../sql/postgres/customers/customers.ts';
import { loadInvoiceOrigin } from '../../sql/postgres/invoices/invoice-origin.ts';
import { lockInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { type Collection, loadCollection } from '../../sql/postgres/payments/collections.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { isRestoredSince } from '../../sql/postgres/restores.ts';
import { assertClockReady } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { derivedId } from '../derived-id.ts';

type Asked = Pick<PaymentAttempt, 'origin' | 'operationId'>;

/** Invoices of before a restore may still be retried that long after it. */
const LOST_ATTEMPTS_MATTER_MS = 90 * 86_400_000;

/**
 * Commits a new attempt, so that it is known whatever becomes of the order. Undefined where the passing of time asks for
 * one that cannot be: the customer is not chargeable, or somebody was faster. `by`: whose call asks for it. `mayBeMade`: Postgres was
 * restored from a backup, and the processor may have made this very attempt after that was taken.
 * @throws DomainError `conflict` in place of that, where a call asks; `unavailable` while the processor is away.
 */
export async function openAttempt(
  dependencies: ServiceDependencies,
  { account: { accountId }, customer, invoice }: Collection,
  asked: Asked,
  by = BY_SYSTEM,
): Promise<{ attempt: PaymentAttempt; connected: ConnectedProcessor; mayBeMade: boolean } | undefined> {
  const { postgres, clock } = dependencies;
  const { invoiceId, status } = invoice;
  const isCall = asked.origin === 'call';
  const refuse = (why: string) => {
    if (isCall) throw conflict(`The invoice is ${status} and ${why}.`);
    return undefined;
  };
  if (isCall) nextInvoiceStatus(status, 'pay');
  const payer = customer.paymentProviderId;
  if (payer === null) return refuse('no payment processor collects it');
  const connected = await findConnection(dependencies, accountId, customer.paymentProvider);
  if (!connected) {
    refuse(`the payment processor ${customer.paymentProvider} is not connected`);
    throw unavailable(`${customer.paymentProvider} is connected, but not configured here.`);
  }
  const paymentMethod = await findPaymentMethod(connected, payer);
  if (paymentMethod === null) {
    await inTransaction(postgres, accountId, (tx) => updatePaymentMethod(tx, accountId, customer.customerId, false));
    return refuse('its customer has no payment method');
  }
  return inTransaction(postgres, accountId, async (tx) => {
    await lockInvoice(tx, accountId, invoiceId);
    const now = await loadCollection(tx, accountId, invoiceId);
    if (isCall) nextInvoiceStatus(now.invoice.status, 'pay');
    if (now.attempts.some(isLiveAttempt)) return refuse('a payment of it is in flight');
    if (!isCall && now.invoice.status !== 'open') return undefined;
    if (isCall) await assertClockReady(tx, accountId, customer.testClockId);
    const attempt: PaymentAttempt = {
      ...asked,
      attemptId: await attemptIdOf(tx, accountId, now),
      invoiceId,
      provider: connected.processor.name,
      payer,
      paymentMethod,
      amount: now.invoice.amountDue,
      currency: now.invoice.currency,
      status: 'created',
      reference: null,
      failureCode: null,
      failureMessage: null,
      createdAt: now.customer.clockTime ?? clock.now(),
      settledAt: null,
    };
    await saveChanges(tx, accountId, { attempts: [attempt] });
    const record = invoiceToWire(now.invoice);
    const entry = { accountId, action: 'invoice.payment_requested', origin: by } as const;
    if (isCall) saveAuditEntry(tx, entry, changed(record, record));
    const mayBeMade = await isRestoredSince(tx, clock.now() - LOST_ATTEMPTS_MATTER_MS);
    return { attempt, connected, mayBeMade };
  });
}

/**
 * The id by which a processor makes an order once. It is of what is charged, and of how many attempts came before: where Postgres is
 * restored from before an attempt, that attempt gets its id again, and is found.
 */
async function attemptIdOf(tx: Transaction, accountId: string, { invoice, attempts }: Collection): Promise<string> {
  const { invoiceId, amountDue, currency } = invoice;
  const origin = await loadInvoiceOrigin(tx, accountId, invoiceId);
  return derivedId('pay', [accountId, origin, amountDue.toFixed(), currency, String(attempts.length)]);
}

async function findConnection({ connections }: ServiceDependencies, accountId: string, provider: string | null) {
  try {
    return await connections.find(accountId, provider);
  } catch (error) {
    if (error instanceof ProcessorError) throw unavailable(`${provider} does not answer: ${error.message}`);
    throw error;
  }
}

/** Where the grant was taken back the order is made all the same: it fails, and so the failure is published. */
async function findPaymentMethod({ processor, grant }: ConnectedProcessor, payer: string): Promise<string | null> {
  try {
    return await processor.findPaymentMethod(grant, payer);
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    if (error.failure === 'revoked') return '';
    throw unavailable(`${processor.name} does not answer: ${error.message}`);
  }
}
