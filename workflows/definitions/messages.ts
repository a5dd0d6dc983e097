import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { CancelRequest } from '../../billing/subscriptions/cancel.ts';
import type { SwitchRequest } from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import type { EventSubject } from '../../outbound/processors/processor.ts';

/** What the workflows are started with and asked. Everything here crosses the wire to Temporal as JSON. */

export type SubscriptionRef = { accountId: string; subscriptionId: string };
/** How a run of a subscription begins: with its schedule as the starter read it; without, it reads that itself. */
export type SubscriptionStart = { course?: SubscriptionSchedule };
export type TestClockRef = { accountId: string; testClockId: string };
export type InvoiceRef = { accountId: string; invoiceId: string };
export type RefundRef = { accountId: string; refundId: string };
export type CustomerRef = { accountId: string; customerId: string };
/** `periodIndex` null: after the last period. */
export type PeriodRef = SubscriptionRef & { periodIndex: number | null };

/** What to look at, because a processor told of it or has just been connected. */
export type ToldByProcessor = {
  accountId: string;
  eventId: string;
  subject: (EventSubject | { kind: 'connected' }) & { provider: string };
};

/** A delivery whose first attempt of this round failed; `dueAt` is the next one's time. */
export type WebhookRetry = { accountId: string; deliveryId: string; round: number; dueAt: Instant };

/** The clock's word: the owner's time is now `until`; do the step that is due. */
export const runDueStepUpdate = defineUpdate<void, [{ until: Instant }]>('run_due_step');

/** The books have changed the subscription: read its schedule anew. */
export const lookAgainSignal = defineSignal('look_again');

/** A clock has a new goal. A signal, since a run that is just ending cannot miss one. */
export const advanceSignal = defineSignal('advance');

/**
 * A call of the API, told from any other: the Update's id is its operation id too. It may have been done under one of its
 * `formerIds`.
 */
export type SubscriptionCall = PayCall & { requestHash: string };
export type CancelCall = SubscriptionCall & { request: CancelRequest };
export type PauseCall = SubscriptionCall & { request: { resumesAt: Instant | null; reason: string | null } };
export type ResumeCall = SubscriptionCall;
export type SwitchCall = SubscriptionCall & { request: SwitchRequest };
/** `units` as plain decimal text. */
export type PrepaidCall = SubscriptionCall & {
  request: { metricId: string; units: string; invoicingBehavior: 'add_to_next_invoice' | 'invoice_now' };
};

/** A call that wants an invoice collected now; resolves when its attempt has an outcome, or is lost and being found. */
export type PayCall = { operationId: string; formerIds?: string[] };
export const payUpdate = defineUpdate<void, [PayCall]>('pay');

/** Changes that a caller asks for; each resolves when it is saved, its answer is kept with its operation. */
export const cancelUpdate = defineUpdate<void, [CancelCall]>('cancel');
export const pauseUpdate = defineUpdate<void, [PauseCall]>('pause');
export const resumeUpdate = defineUpdate<void, [ResumeCall]>('resume');
export const switchPlanUpdate = defineUpdate<void, [SwitchCall]>('switch_plan');
export const changePrepaidUnitsUpdate = defineUpdate<void, [PrepaidCall]>('change_prepaid_units');

/** Where a subscription is in its life, for a person who looks. */
export type SubscriptionState = {
  status: string;
  customer_id: string;
  plan_id: string;
  period_end: string | null;
  lives_on: 'real time' | 'a test clock';
};
export const stateQuery = defineQuery<SubscriptionState | 'loading'>('state');

/** What comes next, with its date-time in UTC. */
export type NextStep = { at: string; step: string };
export const nextStepsQuery = defineQuery<NextStep[]>('next_steps');
