import { z } from 'zod';

/** The operator's limits of what one account may do (operations/fair-shares.md). */
export const limitVariables = z.object({
  ACCOUNT_REQUESTS_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      'Requests per second that all keys of an account together may make of one process, events included; above it 429. ' +
        'The lower of it and the `rate_limit` of the account holds. Absent: no limit.',
    ),
  ROW_LOCK_WAIT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(20_000)
    .default(2_000)
    .describe('Longest that a call waits for a record that another call is changing; then it is answered 503.'),
  TEST_CLOCKS_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(500)
    .describe('Test clocks that an account may have at once; a further one is 409.'),
  TEST_CLOCK_MAX_YEARS: z.coerce
    .number()
    .int()
    .min(1)
    .default(10)
    .describe('Years by which one call may advance a test clock; further is 422.'),
  ACTIVITIES_AT_ONCE_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(64)
    .describe(
      'Steps of subscriptions, erasures and reads that one account has under way in a worker, of 500. Further ones begin later.',
    ),
  CALLS_AT_ONCE_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(32)
    .describe(
      'Changes of subscriptions and payments by calls that one account has under way in a worker, of 256. Further ones begin later.',
    ),
  PAYMENTS_AT_ONCE_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(32)
    .describe(
      'Collections, refunds and events of payment processors that one account has under way in a worker, of 200. Further ones begin later.',
    ),
});

/** What an account may do in a process, by the variables of {@link limitVariables}. */
export type AccountLimits = ReturnType<typeof accountLimitsOf>;

export function accountLimitsOf(e: z.output<typeof limitVariables>) {
  return {
    /** Of all its keys together, in one process; absent: no limit. */
    requestsPerSecond: e.ACCOUNT_REQUESTS_PER_SECOND,
    rowLockWaitMs: e.ROW_LOCK_WAIT_MS,
    testClocks: e.TEST_CLOCKS_PER_ACCOUNT,
    advanceYears: e.TEST_CLOCK_MAX_YEARS,
    /** Activities in each worker, by what they are. */
    activitiesAtOnce: {
      activities: e.ACTIVITIES_AT_ONCE_PER_ACCOUNT,
      calls: e.CALLS_AT_ONCE_PER_ACCOUNT,
      payments: e.PAYMENTS_AT_ONCE_PER_ACCOUNT,
    },
  };
}

export type ActivitiesPerAccount = AccountLimits['activitiesAtOnce'];
