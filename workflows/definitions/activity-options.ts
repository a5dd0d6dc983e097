import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

/**
 * How activities are run. Every activity sends heartbeats by itself (activity-frame.ts), so a worker that died is noticed
 * after HEARTBEAT and not only when an activity's own time is over.
 */
const HEARTBEAT = '5 seconds';

/** A closing of very many periods may take hours. Heartbeats, not this, find the one whose worker is gone. */
const ONE_ATTEMPT = '1 day';

/** Quick at first, since most failures are a restart; never rarer than every 30 s, so that recovery is prompt. */
const RETRY = { initialInterval: '300 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' } as const;

/** Real time waits as long as it takes: a period is never skipped, whatever is away (architecture#temporal). */
export const UNTIL_DONE: ActivityOptions = {
  startToCloseTimeout: ONE_ATTEMPT,
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY,
};

/**
 * One try within the workflow's own task, which has 10 s: half of the history, and of what Temporal has to do, of an activity
 * that is given to a worker by the server. What fails, or takes longer, is done by such a one.
 */
export const AT_ONCE: LocalActivityOptions = { startToCloseTimeout: '7 seconds', retry: { maximumAttempts: 1 } };

/** Retries of webhooks have a task queue, and so slots, of their own: receivers that hang hold up no invoice. */
export const WEBHOOK_TASK_QUEUE = 'meterbook-webhooks';

/** Test clocks that advance have one: hundreds that begin at once stand in the way of no call and no closing. */
export const CLOCK_TASK_QUEUE = 'meterbook-clocks';

/** Calls have one: a person waits for the answer, which must not come behind closings, collections and sweeps. */
export const CALL_TASK_QUEUE = 'meterbook-calls';

/** Whatever asks a payment processor has one: a processor that hangs (`CALL_LIMIT_MS`) holds up no invoice. */
export const PAYMENT_TASK_QUEUE = 'meterbook-payments';

/**
 * Somebody waits for the answer, on a test clock or after a call: what has failed this often, for more than 10 minutes, has
 * failed for good, and the clock says so. Work that goes on, however long, has not failed. Restarts of every engine fit in
 * it many times.
 */
const ATTEMPTS_WHILE_SOMEBODY_WAITS = 30;

export const WITHIN_PATIENCE: ActivityOptions = {
  ...UNTIL_DONE,
  retry: { ...RETRY, maximumAttempts: ATTEMPTS_WHILE_SOMEBODY_WAITS },
};

/** Activities that change what a call asks to change. */
export const OF_A_CALL: ActivityOptions = { ...WITHIN_PATIENCE, taskQueue: CALL_TASK_QUEUE };

/** Activities that ask a payment processor, in real time and on a test clock. */
export const OF_A_PAYMENT: ActivityOptions = { ...UNTIL_DONE, taskQueue: PAYMENT_TASK_QUEUE };
export const OF_A_PAYMENT_ON_CLOCK: ActivityOptions = { ...WITHIN_PATIENCE, taskQueue: PAYMENT_TASK_QUEUE };
