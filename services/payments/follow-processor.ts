import { unavailable } from '../../core/domain-error.ts';
import type { ConnectedProcessor } from '../../outbound/processors/connections.ts';
import { type EventSubject, ProcessorError } from '../../outbound/processors/processor.ts';
import { findRefundOfProcessor } from '../../sql/postgres/credits/refunds.ts';
import {
  findCustomer,
  listCustomersOfPayer,
  lockCustomerForUpdate,
  updatePaymentMethod,
} from '../../sql/postgres/customers/customers.ts';
import { findAttempt } from '../../sql/postgres/payments/payment-attempts.ts';
import { deleteEventToFollow } from '../../sql/postgres/payments/processor-events.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { sendRefund } from '../credits/send-refund.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { InvoiceRef } from '../references.ts';
import { dropConnection } from './drop-connection.ts';
import { planCollectionsOf } from './plan-collections.ts';
import { saveOutcome } from './save-attempt.ts';

/** What to look at, because a processor told of it or has just been connected. */
export type ToldByProcessor = {
  accountId: string;
  eventId: string;
  subject: (EventSubject | { kind: 'connected' }) & { provider: string };
};

/** `workflows`: whoever waits for an attempt's outcome, who is to look again. */
export type FollowDependencies = ServiceDependencies & {
  workflows: { lookAgainAtCollection(ref: InvoiceRef): Promise<void> };
};

/**
 * Looks at what a processor told of, and saves how it stands by the processor's own answer of now. So events may be repeated,
 * late or in any order; an event about something of nobody's changes nothing.
 */
export async function followProcessor(dependencies: FollowDependencies, told: ToldByProcessor): Promise<void> {
  const { accountId, eventId, subject } = told;
  const connected = await dependencies.connections.find(accountId, subject.provider);
  if (connected) await followConnected(dependencies, accountId, subject, connected);
  await inTransaction(dependencies.postgres, accountId, (tx) => deleteEventToFollow(tx, accountId, eventId));
}

async function followConnected(
  dependencies: FollowDependencies,
  accountId: string,
  subject: ToldByProcessor['subject'],
  connected: ConnectedProcessor,
): Promise<void> {
  try {
    await follow(dependencies, accountId, subject, connected);
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    if (error.failure !== 'revoked') throw unavailable(`${subject.provider} does not answer: ${error.message}`);
    await dropConnection(dependencies, accountId, connected);
  }
}

async function follow(
  dependencies: FollowDependencies,
  accountId: string,
  subject: ToldByProcessor['subject'],
  connected: ConnectedProcessor,
): Promise<void> {
  const { postgres } = dependencies;
  const { provider } = subject;
  switch (subject.kind) {
    case 'charge':
      return followCharge(dependencies, accountId, subject, connected);
    case 'refund': {
      const refund = await inTransaction(postgres, accountId, (tx) => findRefundOfProcessor(tx, accountId, subject));
      // One whose answer is not here yet is followed by its own workflow.
      if (refund?.processorRefundId) await sendRefund(dependencies, { accountId, refundId: refund.refundId });
      return;
    }
    case 'dispute': {
      const dispute = { provider, reference: subject.chargeReference, status: subject.status };
      await inTransaction(postgres, accountId, (tx) => saveChanges(tx, accountId, { disputesChanged: [dispute] }));
      return;
    }
    case 'payer':
      return refreshPaymentMethods(dependencies, accountId, connected, subject.payer);
    case 'connected':
      return refreshPaymentMethods(dependencies, accountId, connected, null);
    case 'revoked':
      return dropConnection(dependencies, accountId, connected);
  }
}

async function followCharge(
  dependencies: FollowDependencies,
  accountId: string,
  { provider, attemptId, reference }: { provider: string; attemptId: string | null; reference: string },
  { processor, grant }: ConnectedProcessor,
): Promise<void> {
  const { postgres, workflows } = dependencies;
  const attempt = await inTransaction(postgres, accountId, (tx) =>
    findAttempt(tx, accountId, { provider, attemptId, reference }),
  );
  if (!attempt) return;
  // The event may be here before the answer that tells the reference.
  const outcome = await processor.findCharge(grant, { attemptId: attempt.attemptId, reference });
  if (outcome === null) return;
  const { invoiceId } = attempt;
  await saveOutcome(dependencies, { accountId, invoiceId, attemptId: attempt.attemptId }, outcome);
  await workflows.lookAgainAtCollection({ accountId, invoiceId });
}

/**
 * Asks whether payers have a payment method; one that has from now on has its open invoices collected. So has, after a new
 * connection, one that had it all the time: nothing was planned while there was none.
 */
async function refreshPaymentMethods(
  { postgres }: ServiceDependencies,
  accountId: string,
  { processor, grant }: ConnectedProcessor,
  payer: string | null,
): Promise<void> {
  const customers = await inTransaction(postgres, accountId, (tx) =>
    listCustomersOfPayer(tx, accountId, { provider: processor.name, payer }),
  );
  for (const { customerId, paymentProviderId } of customers) {
    if (paymentProviderId === null) continue;
    const hasPaymentMethod = (await processor.findPaymentMethod(grant, paymentProviderId)) !== null;
    await inTransaction(postgres, accountId, async (tx) => {
      const known = await lockCustomerForUpdate(tx, accountId, customerId);
      if (known?.paymentProviderId !== paymentProviderId) return;
      if (payer !== null && known.hasPaymentMethod === hasPaymentMethod) return;
      await updatePaymentMethod(tx, accountId, customerId, hasPaymentMethod);
      const customer = await findCustomer(tx, accountId, customerId);
      if (customer) await planCollectionsOf(tx, accountId, customer);
    });
  }
}
