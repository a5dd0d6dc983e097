import type { Log } from '../runtime/log.ts';
import type { Shares } from '../runtime/shares/watch-shares.ts';
import type { ActivitiesPerAccount } from '../runtime/variables/limit-variables.ts';
import type { Activities } from './activities/activities.ts';
import { createSlots, type Slots } from './activities/slots.ts';
import { CALL_TASK_QUEUE, CLOCK_TASK_QUEUE, PAYMENT_TASK_QUEUE } from './definitions/activity-options.ts';
import { type RunningWorker, startWorker, type WorkflowBundle } from './worker.ts';
import { TASK_QUEUE } from './workflow-ids.ts';

/** Activities at once, by task queue. Most wait: for a turn, for usage, for a payment processor. */
const SLOTS = { activities: 500, calls: 256, payments: 200, clocks: 200 };

/** The slots that accounts share in a worker. An account has few clocks that advance at once (start-clocks.ts). */
export type WorkerSlots = Record<'activities' | 'calls' | 'payments', Slots>;

/** `perAccount`: slots that one account has at once. */
export function createWorkerSlots(perAccount: ActivitiesPerAccount): WorkerSlots {
  return {
    activities: createSlots({ atOnce: SLOTS.activities, ofOne: perAccount.activities }),
    calls: createSlots({ atOnce: SLOTS.calls, ofOne: perAccount.calls }),
    payments: createSlots({ atOnce: SLOTS.payments, ofOne: perAccount.payments }),
  };
}

/** Returns the turns of the slots, by their names in metrics and in the log. */
export function sharesOfSlots({ activities, calls, payments }: WorkerSlots): Shares {
  return { activity_slots: activities.turns, call_slots: calls.turns, payment_slots: payments.turns };
}

type Place = { temporalAddress: string; temporalNamespace: string };

/**
 * Starts the workers of this process, each with a task queue, and slots, of its own. The first runs the workflows, too. All have
 * all activities: what the release before has put into a queue is done from there. They stop side by side.
 */
export function startWorkers(
  { temporalAddress, temporalNamespace }: Place,
  { bundle, activities, slots, log }: { bundle: WorkflowBundle; activities: Activities; slots: WorkerSlots; log: Log },
): RunningWorker {
  const start = (options: { taskQueue: string; activitiesAtOnce: number; bundle?: WorkflowBundle; slots?: Slots }) =>
    startWorker({ temporalAddress, temporalNamespace, activities, log, ...options });
  const workers = [
    start({ taskQueue: TASK_QUEUE, bundle, slots: slots.activities, activitiesAtOnce: SLOTS.activities }),
    start({ taskQueue: CALL_TASK_QUEUE, slots: slots.calls, activitiesAtOnce: SLOTS.calls }),
    start({ taskQueue: PAYMENT_TASK_QUEUE, slots: slots.payments, activitiesAtOnce: SLOTS.payments }),
    start({ taskQueue: CLOCK_TASK_QUEUE, activitiesAtOnce: SLOTS.clocks }),
  ];
  return {
    name: 'temporal workers',
    isPolling: () => workers.every((worker) => worker.isPolling()),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
