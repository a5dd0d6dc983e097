import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { inSpan } from '../runtime/tracing.ts';
import { failureFromError } from './failures.ts';
import { traceOf } from './trace-calls.ts';

/** Well below the heartbeat timeout of definitions/activity-options.ts, so that one late heartbeat kills nothing. */
const HEARTBEAT_EVERY_MS = 1_500;

/** What holds for every activity: it sends heartbeats while it runs, its refusals are told as such, and it is a span of its trace. */
export function frameActivity(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        // A local one is part of its workflow's task, and is over before any heartbeat.
        const beat = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
        try {
          const { activityType, workflowExecution } = context.info;
          const attributes = { 'workflow.id': workflowExecution?.workflowId ?? '' };
          const options = { parent: traceOf(input.headers), attributes };
          return await inSpan(activityType, options, () => next(input));
        } catch (error) {
          throw failureFromError(error);
        } finally {
          clearInterval(beat);
        }
      },
    },
  };
}
