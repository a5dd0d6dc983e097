import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

/**
 * How activities are run. Every activity sends heartbeats by itself (activity-frame.ts), so a worker that died is noticed
 * after HEARTBEAT and not only when an activity's own time is over.
 */
const HEARTBEAT = '5 seconds';

/** Long enough for any engine to come back; an activity that waits for landing gives up by itself before this. */
const ONE_ATTEMPT = '10 minutes';

/** Quick at first, since most failures are a restart; never rarer than every 30 s, so that recovery is prompt. */
const RETRY = { initialInterval: '300 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' } as const;

/** Real time waits as long as it takes: a period is never skipped, whatever is away (design 8). */
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

/**
 * Retries of webhooks have a queue, and so slots, of their own: receivers that hang hold up no invoice.
 */
export const WEBHOOK_TASK_QUEUE = 'meterbook-webhooks';

/**
 * On a test clock somebody waits for the answer: what could not be done within this has failed for good, and the clock
 * says so. Restarts of every engine fit in it many times.
 */
export const WITHIN_PATIENCE: ActivityOptions = { ...UNTIL_DONE, scheduleToCloseTimeout: '10 minutes' };
