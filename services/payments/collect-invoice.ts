import { type CollectionStep, isLiveAttempt, type PaymentAttempt } from '../../billing/payments/collection.ts';
import type { InvoiceStatus } from '../../billing/subscriptions/states.ts';
import { unavailable } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { ConnectedProcessor } from '../../outbound/processors/connections.ts';
import { type ChargeOutcome, ProcessorError } from '../../outbound/processors/processor.ts';
import { findInvoice, lockInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { type Collection, loadCollection } from '../../sql/postgres/payments/collections.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { BY_SYSTEM, type Origin } from '../audit/origin.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { InvoiceRef, OperationRef } from '../references.ts';
import { dropConnection } from './drop-connection.ts';
import { openAttempt } from './open-attempt.ts';
import { planCollectionStep } from './plan-collections.ts';
import { giveUp, saveOutcome } from './save-attempt.ts';

/** Where the collection of an invoice is and what comes next: all that its workflow has to know. */
export type CollectionSchedule = {
  status: InvoiceStatus;
  /** The frozen time of the customer's test clock; null for one who lives in real time. */
  clockTime: Instant | null;
  next: CollectionStep | null;
  /** The processor has the word: ask it again after a while. */
  polls: boolean;
};

/** Of an invoice that is not there, since Postgres was restored from before it was made. */
const NOTHING_TO_COLLECT: CollectionSchedule = { status: 'void', clockTime: null, next: null, polls: false };

/**
 * Where the collection is now. On a test clock its next step stands from then on where the clock looks: what was planned may
 * have been overtaken, as by mark_paid, a payer that has gone, or another zone, and a step that nobody does stops the clock.
 */
export async function loadCollectionSchedule(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { accountId, invoiceId }: InvoiceRef,
): Promise<CollectionSchedule> {
  return inTransaction(postgres, accountId, async (tx) => {
    // Whatever else plans its steps holds the invoice, too.
    if (!(await lockInvoice(tx, accountId, invoiceId))) return NOTHING_TO_COLLECT;
    const collection = await loadCollection(tx, accountId, invoiceId);
    await planCollectionStep(tx, collection);
    return scheduleOf(collection);
  });
}

function scheduleOf({ invoice, customer, attempts, step }: Collection): CollectionSchedule {
  const polls = attempts.some(({ status }) => status === 'processing');
  return { status: invoice.status, clockTime: customer.clockTime, next: step, polls };
}

/**
 * Does what is due for an invoice: charges it, or finds out what became of an attempt. Repeated after whatever crash it goes
 * on with the attempt that lives, and never begins a second one.
 * @throws DomainError `unavailable` where the processor does not say how an attempt ends: to be run again after a pause.
 */
export async function collectDue(dependencies: ServiceDependencies, ref: InvoiceRef): Promise<CollectionSchedule> {
  const collection = await find(dependencies, ref);
  if (collection === undefined) return NOTHING_TO_COLLECT;
  const live = collection.attempts.find(isLiveAttempt);
  const now = collection.customer.clockTime ?? dependencies.clock.now();
  const isDue = collection.step !== null && collection.step.dueAt <= now;
  if (live && (isDue || live.status === 'processing')) {
    await settleAttempt(dependencies, ref, live, collection.step?.kind === 'recall');
  } else if (isDue && collection.step?.kind === 'give_up') {
    await giveUp(dependencies, ref);
  } else if (isDue) {
    await makeAttempt(dependencies, ref, collection, { origin: 'due', operationId: null });
  }
  const schedule = await loadCollectionSchedule(dependencies, ref);
  // Refused, and its payer may still act on it: asked again after a pause, by whoever runs this.
  if (schedule.next?.kind === 'recall' && schedule.next.dueAt <= now)
    throw unavailable(`The processor does not take back ${live?.attemptId}, whose payer has not acted.`);
  return schedule;
}

/** A call that has an invoice collected; `origin`: whose it is, which those of the release before do not say. */
export type PayCall = OperationRef & { origin?: Origin };

/**
 * Collects an invoice now, as a call asks; once per call, however often it is repeated.
 * @throws DomainError `conflict` where it is not to be paid, cannot be charged, or money for it is in flight.
 */
export async function payNow(
  dependencies: ServiceDependencies,
  { operationId, formerIds = [], origin = BY_SYSTEM, ...ref }: InvoiceRef & PayCall,
): Promise<CollectionSchedule> {
  const collection = await load(dependencies, ref);
  const ids = new Set<string | null>([operationId, ...formerIds]);
  if (!collection.attempts.some((one) => ids.has(one.operationId))) {
    const live = collection.attempts.find(isLiveAttempt);
    // The payer has not acted on it: another try, perhaps by another card, takes its place.
    if (live?.status === 'requires_action') await settleAttempt(dependencies, ref, live, true);
    await makeAttempt(dependencies, ref, await load(dependencies, ref), { origin: 'call', operationId }, origin);
  }
  return loadCollectionSchedule(dependencies, ref);
}

async function makeAttempt(
  dependencies: ServiceDependencies,
  ref: InvoiceRef,
  collection: Collection,
  asked: Parameters<typeof openAttempt>[2],
  by?: Origin,
): Promise<void> {
  const opened = await openAttempt(dependencies, collection, asked, by);
  if (!opened) return;
  if (opened.mayBeMade) await settleAttempt(dependencies, ref, opened.attempt);
  else await deliver(dependencies, ref, opened.attempt, opened.connected);
}

/**
 * Finds out what became of an attempt. Where the processor knows nothing of it, its order never arrived: it is sent again,
 * the same, under the same key. `recall`: the payer's time to act is over.
 */
async function settleAttempt(
  dependencies: ServiceDependencies,
  ref: InvoiceRef,
  attempt: PaymentAttempt,
  recall = false,
): Promise<void> {
  const { attemptId, reference, provider } = attempt;
  const connected = await dependencies.connections.find(ref.accountId, provider);
  if (!connected) return cannotFollow(attempt);
  const { processor, grant } = connected;
  const isRecalled = recall && reference !== null;
  const outcome = await answerOf(
    isRecalled ? processor.cancelCharge(grant, reference) : processor.findCharge(grant, { attemptId, reference }),
  );
  if (outcome === 'revoked') {
    await dropConnection(dependencies, ref.accountId, connected);
    return cannotFollow(attempt);
  }
  if (outcome === null) return deliver(dependencies, ref, attempt, connected);
  await conclude(dependencies, ref, attempt, outcome);
}

/** Its money may have been taken: it stays as it is until the processor is connected again. */
function cannotFollow({ attemptId, provider, status }: PaymentAttempt): void {
  if (status !== 'processing') throw unavailable(`${attemptId} cannot be followed: ${provider} is not connected.`);
}

async function deliver(
  dependencies: ServiceDependencies,
  ref: InvoiceRef,
  attempt: PaymentAttempt,
  connected: ConnectedProcessor,
): Promise<void> {
  const { invoice } = await load(dependencies, ref);
  const order = { ...attempt, description: `Invoice ${invoice.invoiceNumber}` };
  const outcome = await answerOf(connected.processor.charge(connected.grant, order));
  if (outcome !== 'revoked') {
    return conclude(dependencies, ref, attempt, outcome ?? { status: 'unknown', message: 'no answer' });
  }
  // The order was not accepted, and no earlier one was found.
  await dropConnection(dependencies, ref.accountId, connected);
  const message = 'The payment processor has been disconnected from its side.';
  await conclude(dependencies, ref, attempt, {
    status: 'failed',
    reference: null,
    code: 'connection_revoked',
    message,
  });
}

/** What the processor says; one that does not answer leaves it unknown. */
async function answerOf(asking: Promise<ChargeOutcome | null>): Promise<ChargeOutcome | null | 'revoked'> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    return error.failure === 'revoked' ? 'revoked' : { status: 'unknown', message: error.message };
  }
}

/**
 * Saves an outcome. One that stays unknown is asked again after a pause, by whoever runs this; an order that was just sent at
 * once, and what the processor works on after a while.
 */
async function conclude(
  dependencies: ServiceDependencies,
  ref: InvoiceRef,
  { attemptId, status }: PaymentAttempt,
  outcome: ChargeOutcome,
): Promise<void> {
  await saveOutcome(dependencies, { ...ref, attemptId }, outcome);
  const isPatient = status === 'created' || status === 'processing';
  if (outcome.status === 'unknown' && !isPatient)
    throw unavailable(`The processor does not answer: ${outcome.message}`);
}

async function find(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { accountId, invoiceId }: InvoiceRef,
): Promise<Collection | undefined> {
  return inTransaction(postgres, accountId, async (tx) => {
    return (await findInvoice(tx, accountId, invoiceId)) && loadCollection(tx, accountId, invoiceId);
  });
}

async function load({ postgres }: Pick<ServiceDependencies, 'postgres'>, ref: InvoiceRef): Promise<Collection> {
  return inTransaction(postgres, ref.accountId, (tx) => loadCollection(tx, ref.accountId, ref.invoiceId));
}
