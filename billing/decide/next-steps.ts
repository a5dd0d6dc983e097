import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import type { Boundary } from '../periods/schedule.ts';

/**
 * Decides the next steps of subscriptions on a test clock, in the place of those that were planned. In real time the workflow of a
 * subscription reads its schedule itself.
 */
export function decideNextSteps(
  testClockId: string,
  schedules: ReadonlyMap<string, { next: Boundary | null }>,
): ChangeSet {
  return {
    stepsDone: [...schedules.keys()].map((subscriptionId) => ({ kind: 'subscription', subscriptionId })),
    steps: [...schedules].flatMap(([subscriptionId, { next }]) => {
      return next ? [{ kind: next.kind, subscriptionId, dueAt: next.dueAt, testClockId }] : [];
    }),
  };
}

/** Decides the next step of the collection of an invoice on a test clock, in the place of an earlier one. In real time there is none. */
export function decideCollectionStep(
  testClockId: string | null,
  invoiceId: string,
  step: { dueAt: Instant } | null,
): ChangeSet {
  if (testClockId === null) return {};
  return {
    stepsDone: [{ kind: 'collect', invoiceId }],
    steps: step ? [{ kind: 'collect', invoiceId, dueAt: step.dueAt, testClockId }] : [],
  };
}
