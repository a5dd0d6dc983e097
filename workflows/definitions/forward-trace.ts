import type { Headers, WorkflowInterceptors } from '@temporalio/workflow';

/** The header in which a trace goes through Temporal, as its caller wrote it. */
export const TRACE_HEADER = 'meterbook-trace';

/**
 * What a workflow does belongs to the trace of the message that it handles, else to that of its start until it waits for a
 * timer: a renewal weeks later is nobody's. Headers are not part of what a replay compares.
 */
export function interceptors(): WorkflowInterceptors {
  let current: Headers[string] | undefined;
  let handling = 0;

  async function handle<T>(headers: Headers, work: () => Promise<T>): Promise<T> {
    current = headers[TRACE_HEADER];
    handling += 1;
    try {
      return await work();
    } finally {
      handling -= 1;
      if (handling === 0) current = undefined;
    }
  }

  const traced = <T extends { headers: Headers }>(input: T): T =>
    current ? { ...input, headers: { ...input.headers, [TRACE_HEADER]: current } } : input;

  return {
    inbound: [
      {
        execute: (input, next) => {
          current = input.headers[TRACE_HEADER];
          return next(input);
        },
        handleSignal: (input, next) => {
          current = input.headers[TRACE_HEADER];
          return next(input);
        },
        handleUpdate: (input, next) => handle(input.headers, () => next(input)),
      },
    ],
    outbound: [
      {
        startTimer: (input, next) => {
          if (handling === 0) current = undefined;
          return next(input);
        },
        scheduleActivity: (input, next) => next(traced(input)),
        scheduleLocalActivity: (input, next) => next(traced(input)),
      },
    ],
  };
}
