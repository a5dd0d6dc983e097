import { inOrderOfDue, type NextStep, type SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { listDueSchedules } from '../../sql/postgres/subscriptions/schedules.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { billPendingItems } from '../invoices/bill-pending-items.ts';
import { closePeriod } from '../invoices/close-period.ts';
import type { PeriodRef } from '../references.ts';
import { activateSubscription } from './activate.ts';
import { announceTrialEnd } from './announce-trial-end.ts';
import { cancelAsPlanned } from './cancel.ts';
import { resumeAsPlanned } from './resume.ts';
import { switchAsPlanned } from './switch-plan.ts';

type Perform = (
  dependencies: ServiceDependencies,
  step: PeriodRef,
  cancelled: AbortSignal,
) => Promise<SubscriptionSchedule>;

/** What does each step. */
export const STEPS: Record<NextStep['kind'], Perform> = {
  activate: activateSubscription,
  close_period: closePeriod,
  invoice_period: closePeriod,
  cancel: cancelAsPlanned,
  switch: switchAsPlanned,
  resume: resumeAsPlanned,
  trial_will_end: announceTrialEnd,
  bill_waiting: billPendingItems,
};

/** Whose step it is; and the first step of that customer that comes before it and is not done, null for none. */
export type Turn = { customerId: string; earlier: NextStep | null };

/**
 * Credits, pending items and late usage of a customer go to what falls due first, then by rank and subscription (spec/periods#order-at-one-instant).
 * On a test clock steps come in that order anyway; in real time each subscription has a workflow of its own, and whichever comes first
 * does what is due before its own step, too: the others find theirs done.
 */
export async function findTurn(
  { postgres, clock }: Pick<ServiceDependencies, 'postgres' | 'clock'>,
  { accountId, subscriptionId }: PeriodRef,
): Promise<Turn> {
  const schedules = await inTransaction(postgres, accountId, (tx) =>
    listDueSchedules(tx, accountId, subscriptionId, clock.now()),
  );
  const own = schedules.get(subscriptionId);
  if (!own) throw new Error(`subscription ${subscriptionId} is missing`);
  const { customerId, clockTime, next } = own;
  if (clockTime !== null || next === null) return { customerId, earlier: null };
  const steps = [...schedules].flatMap(([id, schedule]) => {
    return schedule.next === null ? [] : [{ ...schedule.next, subscriptionId: id }];
  });
  const first = steps.toSorted(inOrderOfDue)[0];
  const isEarlier = first !== undefined && first.subscriptionId !== subscriptionId && first.dueAt <= next.dueAt;
  return { customerId, earlier: isEarlier ? first : null };
}

/** Does what comes before a step of a customer, one after another. */
export async function doEarlierSteps(
  dependencies: ServiceDependencies,
  step: PeriodRef,
  cancelled: AbortSignal,
): Promise<void> {
  const { accountId } = step;
  for (let { earlier } = await findTurn(dependencies, step); earlier !== null; ) {
    cancelled.throwIfAborted();
    const { subscriptionId, periodIndex, kind } = earlier;
    await STEPS[kind](dependencies, { accountId, subscriptionId, periodIndex }, cancelled);
    const { earlier: after } = await findTurn(dependencies, step);
    if (after?.subscriptionId === subscriptionId && after.kind === kind && after.periodIndex === periodIndex) {
      throw new Error(`${kind} of ${subscriptionId}, which comes first, was not done`);
    }
    earlier = after;
  }
}
