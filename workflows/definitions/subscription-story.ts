import type { Boundary, SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { CancelCall } from '../../services/subscriptions/cancel.ts';
import type { PrepaidCall } from '../../services/subscriptions/change-prepaid-units.ts';
import type { PauseCall } from '../../services/subscriptions/pause.ts';
import type { NextStep, SubscriptionState } from './messages.ts';
import { readableInstant } from './workflow-time.ts';

/** What a person reads about a subscription in the Temporal UI: summaries, current details, answers to queries. */

export function stateOf(schedule: SubscriptionSchedule): SubscriptionState {
  return {
    status: schedule.status,
    customer_id: schedule.customerId,
    plan_id: schedule.planId,
    period_end: schedule.periodEnd === null ? null : readableInstant(schedule.periodEnd),
    lives_on: schedule.clockTime === null ? 'real time' : 'a test clock',
  };
}

export function nextStepsOf(schedule: SubscriptionSchedule): NextStep[] {
  return schedule.next === null
    ? []
    : [{ at: readableInstant(schedule.next.dueAt), step: describeNext(schedule.next) }];
}

/** Temporal takes one line of 400 bytes; a reason may be longer, and not Latin. */
const MAX_SUMMARY = 100;

const PLANNED = { cancel: 'cancel as planned', switch: 'switch plan as planned' };

/** One line: what the timer waits for, what the activity does. */
export function describeNext(next: Boundary): string {
  const steps: Record<Boundary['kind'], string> = {
    activate: 'activate',
    close_period: `close period ${(next.periodIndex ?? 0) + 1}${next.with ? ` and ${PLANNED[next.with]}` : ''}`,
    invoice_period: `invoice period ${(next.periodIndex ?? 0) + 1}, whose grace is over`,
    cancel: PLANNED.cancel,
    switch: PLANNED.switch,
    resume: 'resume as planned',
    trial_will_end: 'tell that the trial will end',
    bill_waiting: 'invoice what the cancel left',
  };
  return `${steps[next.kind]}, due ${readableInstant(next.dueAt)}`;
}

/** `cancel at end of period`: what a call asks, as the summary of its activity. */
export function describeCancel({ request: { cancelAt } }: CancelCall): string {
  if (cancelAt === null) return 'withdraw the planned cancel';
  return `cancel ${cancelAt === 'end_of_period' ? 'at the end of the period' : cancelAt}`;
}

export function describePause({ request: { resumesAt, reason } }: PauseCall): string {
  const until = resumesAt === null ? 'until it is resumed' : `until ${readableInstant(resumesAt)}`;
  const why = reason === null ? '' : `: ${reason.replaceAll(/\s+/g, ' ')}`;
  return `pause ${until}${why}`.slice(0, MAX_SUMMARY);
}

export function describePrepaid({ request: { metricId, units } }: PrepaidCall): string {
  return `prepay ${units} units of ${metricId}`;
}

/** Markdown for the workflow's current details. */
export function describeSchedule(schedule: SubscriptionSchedule): string {
  const lines = [
    `**${schedule.status}**, customer \`${schedule.customerId}\` on plan \`${schedule.planId}\``,
    schedule.next === null ? 'Nothing is planned.' : `Next: ${describeNext(schedule.next)}`,
  ];
  if (schedule.clockTime !== null)
    lines.push(`Lives on a test clock, which stood at ${readableInstant(schedule.clockTime)}`);
  return lines.join('\n\n');
}
