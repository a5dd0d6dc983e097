import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { isGivenUp, isLiveAttempt, type PaymentAttempt } from '../../billing/payments/collection.ts';
import { nextInvoiceStatus } from '../../billing/subscriptions/states.ts';
import type { Instant } from '../../core/instants.ts';
import type { ChargeOutcome } from '../../outbound/processors/processor.ts';
import { lockInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import { type Collection, loadCollection } from '../../sql/postgres/payments/collections.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { findSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { subscriptionToWire } from '../../wire/subscriptions.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { InvoiceRef } from '../references.ts';
import { loadSubscriptionRecord } from '../subscriptions/subscription-records.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { planCollectionStep } from './plan-collections.ts';
import { savePayment } from './save-payment.ts';

export type SavingDependencies = Pick<
  ServiceDependencies,
  'postgres' | 'clickhouse' | 'limits' | 'rolledUp' | 'clock' | 'log'
>;

/**
 * Saves what the processor says of an attempt, and what follows from it, in one transaction: the invoice is paid, or the
 * failure is published and the invoice given up after the last retry. Idempotent: what is settled stays as it is, so copies of an
 * answer, and answers that come late or in the wrong order, change nothing.
 */
export async function saveOutcome(
  dependencies: SavingDependencies,
  ref: { accountId: string; invoiceId: string; attemptId: string },
  outcome: ChargeOutcome,
): Promise<void> {
  const { clock, log } = dependencies;
  const { accountId, invoiceId, attemptId } = ref;
  await inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    await lockInvoice(tx, accountId, invoiceId);
    const collection = await loadCollection(tx, accountId, invoiceId);
    const before = collection.attempts.find((one) => one.attemptId === attemptId);
    if (!before) throw new Error(`payment attempt ${attemptId} is missing`);
    if (!isLiveAttempt(before)) {
      const isLate = before.status === 'failed' && outcome.status === 'succeeded';
      if (isLate)
        log.error({ accountId, attemptId }, 'a processor took money for an attempt that had failed: refund it there');
      return;
    }
    const at = collection.customer.clockTime ?? clock.now();
    const attempt = attemptAfter(before, outcome, at);
    await saveChanges(tx, accountId, { attemptsChanged: [attempt] });
    if (attempt.status === 'succeeded') await savePaid(tx, collection, attempt, at);
    if (attempt.status === 'failed') await saveFailed(stores, await loadCollection(tx, accountId, invoiceId));
    await planCollectionStep(tx, await loadCollection(tx, accountId, invoiceId));
  });
}

/** An answer that says nothing does not undo what an earlier one said. */
function attemptAfter(attempt: PaymentAttempt, outcome: ChargeOutcome, at: Instant): PaymentAttempt {
  if (outcome.status === 'unknown') return attempt.reference === null ? { ...attempt, status: 'unknown' } : attempt;
  const { status, reference } = outcome;
  const failure = outcome.status === 'failed' ? outcome : null;
  return {
    ...attempt,
    status,
    reference: reference ?? attempt.reference,
    failureCode: failure?.code ?? null,
    failureMessage: failure?.message ?? null,
    settledAt: status === 'succeeded' || status === 'failed' ? at : null,
  };
}

async function savePaid(
  tx: Transaction,
  { account: { accountId }, invoice }: Collection,
  attempt: PaymentAttempt,
  at: Instant,
): Promise<void> {
  const { attemptId: paymentId, provider: method, reference } = attempt;
  const paid = await savePayment(tx, accountId, invoice, { paymentId, method, reference, paidAt: at }, at);
  const entry = { accountId, action: 'invoice.paid', origin: BY_SYSTEM } as const;
  saveAuditEntry(tx, entry, changed(invoiceToWire(invoice), invoiceToWire(paid)));
  if (!invoice.amountDue.eq(attempt.amount)) throw new Error(`attempt ${paymentId} is not what was due`);
}

/** Publishes the failure with the subscription it is about (spec/webhooks#events), and gives the invoice up after the last retry. */
async function saveFailed(stores: Stores, { account, invoice, attempts }: Collection): Promise<void> {
  const { tx } = stores;
  const { accountId } = account;
  const id = invoice.subscriptionId;
  const subscription = id === null ? undefined : await findSubscription(tx, accountId, id);
  if (subscription) {
    const data = subscriptionToWire(await loadSubscriptionRecord(stores, accountId, subscription));
    await insertOutboxEvent(tx, { accountId, type: 'subscription.failed', subject: `subscription/${id}`, data });
  }
  if (invoice.status === 'open' && isGivenUp(attempts, account.paymentRetryDays)) {
    await saveGivenUp(tx, accountId, invoice);
  }
}

/** No retry is left: the invoice is uncollectible (spec/payments#retries). */
async function saveGivenUp(tx: Transaction, accountId: string, invoice: IssuedInvoice): Promise<void> {
  const status = nextInvoiceStatus(invoice.status, 'mark_uncollectible');
  const givenUp = { ...invoice, status };
  await saveChanges(tx, accountId, { invoicesChanged: [givenUp] });
  const entry = { accountId, action: 'invoice.marked_uncollectible', origin: BY_SYSTEM } as const;
  saveAuditEntry(tx, entry, changed(invoiceToWire(invoice), invoiceToWire(givenUp)));
}

/** Gives up an invoice that waited for a retry which the account no longer makes. */
export async function giveUp(
  { postgres }: Pick<SavingDependencies, 'postgres'>,
  { accountId, invoiceId }: InvoiceRef,
): Promise<void> {
  await inTransaction(postgres, accountId, async (tx) => {
    await lockInvoice(tx, accountId, invoiceId);
    const { invoice, step } = await loadCollection(tx, accountId, invoiceId);
    if (step?.kind === 'give_up') await saveGivenUp(tx, accountId, invoice);
  });
}
