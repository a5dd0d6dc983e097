import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Instant } from '../../core/instants.ts';
import type { PayCall } from '../../services/payments/collect-invoice.ts';
import type { CancelCall } from '../../services/subscriptions/cancel.ts';
import type { PrepaidCall } from '../../services/subscriptions/change-prepaid-units.ts';
import type { PauseCall } from '../../services/subscriptions/pause.ts';
import type { ResumeCall } from '../../services/subscriptions/resume.ts';
import type { SwitchCall } from '../../services/subscriptions/switch-plan.ts';

/** What the workflows are started with and asked. Everything here crosses the wire to Temporal as JSON. */

/** How a run of a subscription begins: with its schedule as the starter read it; without, it reads that itself. */
export type SubscriptionStart = { course?: SubscriptionSchedule };

/** A delivery whose first attempt of this round failed; `dueAt` is the next one's time. */
export type WebhookRetry = { accountId: string; deliveryId: string; round: number; dueAt: Instant };

/** The clock's word: the owner's time is now `until`; do the step that is due. */
export const runDueStepUpdate = defineUpdate<void, [{ until: Instant }]>('run_due_step');

/** The records, or what they wait for, may have changed: go on by the schedule, which for a subscription may come along; else it is read anew. */
export const lookAgainSignal = defineSignal<[SubscriptionStart?]>('look_again');

/** A clock has a new goal. A signal, since a run that is just ending cannot miss one. */
export const advanceSignal = defineSignal('advance');

/** A call that wants an invoice collected now; resolves when its attempt has an outcome, or is lost and being found. */
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
