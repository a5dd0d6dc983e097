import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { currentTraceContext, type TraceContext } from '../runtime/tracing.ts';
import { TRACE_HEADER } from './definitions/forward-trace.ts';

/** Gives what we ask of Temporal the place of the asker in its trace; without traces nothing. */
export const traceCalls: WorkflowClientInterceptor = {
  start: (input, next) => next({ ...input, headers: traced(input.headers) }),
  signal: (input, next) => next({ ...input, headers: traced(input.headers) }),
  signalWithStart: (input, next) => next({ ...input, headers: traced(input.headers) }),
  startUpdateWithStart: (input, next) =>
    next({
      ...input,
      workflowStartHeaders: traced(input.workflowStartHeaders),
      updateHeaders: traced(input.updateHeaders),
    }),
};

/**
 * Names the account of each workflow that is started, by the account of its first argument. While tasks wait for a worker, Temporal gives
 * one of each account in turn (operations/fair-shares.md), so an account with thousands of workflows holds up nobody else's call.
 */
export const shareByAccount: WorkflowClientInterceptor = {
  start: (input, next) => next({ ...input, options: shared(input.options) }),
  signalWithStart: (input, next) => next({ ...input, options: shared(input.options) }),
  startUpdateWithStart: (input, next) => next({ ...input, workflowStartOptions: shared(input.workflowStartOptions) }),
};

/** The place in a trace that an activity was given; null where there is none. */
export function traceOf(headers: Headers): TraceContext | null {
  const payload = headers[TRACE_HEADER];
  return payload ? defaultPayloadConverter.fromPayload<string>(payload) : null;
}

function traced(headers: Headers): Headers {
  const trace = currentTraceContext();
  return trace === null ? headers : { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(trace) };
}

function shared<Options extends { args: unknown[] }>(options: Options): Options {
  const [ref] = options.args;
  const hasAccount = typeof ref === 'object' && ref !== null && 'accountId' in ref;
  return hasAccount ? { ...options, priority: { fairnessKey: String(ref.accountId) } } : options;
}
