import { z } from 'zod';
import { inSpan } from '../runtime/tracing.ts';
import type { ToldByProcessor } from '../services/payments/follow-processor.ts';
import {
  CLOCK_ADVANCING,
  CUSTOMER_DELETED,
  claimOutboxEvents,
  INVOICE_COLLECTABLE,
  type OutboxEvent,
  PROCESSOR_TOLD,
  SUBSCRIPTION_MOVED,
  updateOutboxRelayed,
} from '../sql/postgres/outbox.ts';
import { acrossAccounts, type Pool, type Transaction } from '../sql/postgres/postgres.ts';
import { hasOutboxEvents } from '../sql/postgres/record-totals.ts';
import { findSchedule } from '../sql/postgres/subscriptions/schedules.ts';
import type { WorkflowClient } from './client.ts';
import { startClocks } from './start-clocks.ts';

type RelayDependencies = { postgres: Pool; workflows: WorkflowClient };

/** Events in one transaction: as many as Temporal starts in about a second, so that a stop need not wait. */
const BATCH = 50;

/** How a round went; `failure` is the first reason why an event could not be published. */
type Round = { claimed: number; relayed: number; failure?: unknown };

/** As a round, with the accounts that have asked for a clock to advance. */
type RelayedRound = Round & { withClocks: Set<string> };

/**
 * Publishes the outbox's oldest events to whoever has to know, and marks those that have been published. An event whose publishing
 * failed stays and is published again: every receiver takes a repeat as the same.
 */
export async function relayOnce({ postgres, workflows }: RelayDependencies): Promise<Round> {
  if (!(await hasOutboxEvents(postgres))) return { claimed: 0, relayed: 0 };
  const { withClocks, ...round } = await relayClaimed({ postgres, workflows });
  for (const accountId of withClocks) await startClocks({ postgres, workflows }, accountId);
  return round;
}

function relayClaimed({ postgres, workflows }: RelayDependencies): Promise<RelayedRound> {
  return acrossAccounts(postgres, async (tx) => {
    const events = await claimOutboxEvents(tx, BATCH);
    const outcomes = await Promise.allSettled(events.map((event) => relayTraced(tx, workflows, event)));
    const published = events.filter((_, i) => outcomes[i]?.status === 'fulfilled').map((event) => event.eventId);
    await updateOutboxRelayed(tx, published);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    const asking = events.filter(({ type }) => type === CLOCK_ADVANCING).map(({ accountId }) => accountId);
    const round = { claimed: events.length, relayed: published.length, withClocks: new Set(asking) };
    return { ...round, ...(failed && { failure: failed.reason }) };
  });
}

function relayTraced(tx: Transaction, workflows: WorkflowClient, event: OutboxEvent): Promise<void> {
  const { type, subject, traceContext: parent } = event;
  const options = { kind: 'producer', parent, attributes: { subject } } as const;
  return inSpan(`relay ${type}`, options, () => relay(tx, workflows, event));
}

/** One event to the workflow that must know; webhook endpoints get it by webhook-dispatch.ts. */
async function relay(tx: Transaction, workflows: WorkflowClient, event: OutboxEvent): Promise<void> {
  const { accountId, type, subject } = event;
  if (type === 'subscription.created' || type === 'subscription.plan_changed') {
    const subscriptionId = idOf(subject);
    const schedule = await findSchedule(tx, accountId, subscriptionId);
    if (schedule) await workflows.startSubscription({ accountId, subscriptionId }, schedule);
  }
  if (type === 'subscription.canceled' && !endedByItself(event)) {
    await workflows.lookAgain({ accountId, subscriptionId: idOf(subject) });
  }
  if (type === SUBSCRIPTION_MOVED) await workflows.lookAgain({ accountId, subscriptionId: idOf(subject) });
  if (type === INVOICE_COLLECTABLE) await workflows.startCollection({ accountId, invoiceId: idOf(subject) });
  if (type === 'refund.created' && isSentByProcessor(event)) {
    await workflows.startRefund({ accountId, refundId: idOf(subject) });
  }
  if (type === PROCESSOR_TOLD) {
    const published = { accountId, eventId: event.eventId, subject: event.data as ToldByProcessor['subject'] };
    await workflows.startProcessorEvent(published);
  }
  if (type === CUSTOMER_DELETED) await workflows.startErasure({ accountId, customerId: idOf(subject) });
}

/** One that ended with its period was ended by its own workflow, which knows. */
function endedByItself({ data }: OutboxEvent): boolean {
  return z.object({ cancel_reason: z.string().nullable() }).parse(data).cancel_reason === 'expired';
}

function isSentByProcessor({ data }: OutboxEvent): boolean {
  return z.object({ method: z.string() }).parse(data).method === 'original_payment';
}

function idOf(subject: string): string {
  return subject.slice(subject.indexOf('/') + 1);
}
