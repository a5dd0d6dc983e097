import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { failureFromError } from './failures.ts';

/** Well below the heartbeat timeout of definitions/activity-options.ts, so that one late heartbeat kills nothing. */
const HEARTBEAT_EVERY_MS = 1_500;

/** What holds for every activity: it sends heartbeats while it runs, and its refusals are told as such. */
export function frameActivity(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const beat = setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
        try {
          return await next(input);
        } catch (error) {
          throw failureFromError(error);
        } finally {
          clearInterval(beat);
        }
      },
    },
  };
}
