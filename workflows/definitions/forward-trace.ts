import { AsyncLocalStorage, type Headers, type WorkflowInterceptors } from '@temporalio/workflow';

/** The header in which a trace goes through Temporal, as its caller wrote it. */
export const TRACE_HEADER = 'meterbook-trace';

/** The trace that what is being done belongs to, as its header has it; undefined: to none. */
type Traced = { trace: Headers[string] | undefined };

/** Of each message by itself: others come while one waits for its activities. */
const doing = new AsyncLocalStorage<Traced>();

/** `work`, for whoever does it later: it stays in the trace of the message that asks for it now. */
export function keepTrace<T>(work: () => T): () => T {
  const asked = doing.getStore();
  return () => (asked ? doing.run(asked, work) : work());
}

/**
 * What a workflow does belongs to the trace of the message that it handles, else to that of its start or newest signal until it waits
 * for a timer: a renewal weeks later is nobody's. Headers are not part of what a replay compares.
 */
export function interceptors(): WorkflowInterceptors {
  const own: Traced = { trace: undefined };

  const within = <T>(headers: Headers, work: () => T) => doing.run({ trace: headers[TRACE_HEADER] }, work);

  const traced = <T extends { headers: Headers }>(input: T): T => {
    const trace = doing.getStore()?.trace;
    return trace ? { ...input, headers: { ...input.headers, [TRACE_HEADER]: trace } } : input;
  };

  return {
    inbound: [
      {
        execute: (input, next) => {
          own.trace = input.headers[TRACE_HEADER];
          return doing.run(own, () => next(input));
        },
        handleSignal: (input, next) => {
          // A signal may be no more than a flag that the workflow's own loop looks at.
          own.trace = input.headers[TRACE_HEADER];
          return within(input.headers, () => next(input));
        },
        handleUpdate: (input, next) => within(input.headers, () => next(input)),
      },
    ],
    outbound: [
      {
        startTimer: (input, next) => {
          own.trace = undefined;
          return next(input);
        },
        scheduleActivity: (input, next) => next(traced(input)),
        scheduleLocalActivity: (input, next) => next(traced(input)),
      },
    ],
  };
}
