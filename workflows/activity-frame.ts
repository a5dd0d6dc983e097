import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { inSpan } from '../runtime/tracing.ts';
import type { Slots } from './activities/slots.ts';
import { traceOf } from './call-interceptors.ts';
import { failureFromError } from './failures.ts';
import { accountOfWorkflow } from './workflow-ids.ts';

/** Well below the heartbeat timeout of definitions/activity-options.ts, so that one late heartbeat kills nothing. */
const HEARTBEAT_EVERY_MS = 1_500;

/**
 * Frames every activity of a worker: it takes a slot of its account, sends heartbeats while it runs, is a span of its trace, and
 * its refusals travel as such. Without `slots`, accounts share nothing here. A local activity is part of its workflow's task and
 * takes no slot.
 */
export function frameActivities(slots: Slots | undefined): (context: Context) => ActivityInterceptors {
  return (context) => {
    const { activityType, isLocal, workflowExecution: { workflowId = '' } = {} } = context.info;
    const accountId = accountOfWorkflow(workflowId);
    return {
      inbound: {
        execute(input, next) {
          const options = { parent: traceOf(input.headers), attributes: { 'workflow.id': workflowId } };
          const run = () => inFrame(context, () => inSpan(activityType, options, () => next(input)));
          return slots && accountId !== undefined && !isLocal ? slots.run(accountId, run) : run();
        },
      },
    };
  };
}

async function inFrame<T>(context: Context, activity: () => Promise<T>): Promise<T> {
  // A local one is over before any heartbeat.
  const beat = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await activity();
  } catch (error) {
    throw failureFromError(error);
  } finally {
    clearInterval(beat);
  }
}
