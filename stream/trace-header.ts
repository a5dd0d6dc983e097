import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { currentTraceContext, type TraceContext } from '../runtime/tracing.ts';

/** The header of a group that carries its place in a trace (W3C). */
const TRACEPARENT = 'traceparent';

/** What a publish takes so that the message carries the trace of what is going on now; without traces nothing. */
export function traceHeader(): { headers?: MsgHdrs } {
  const trace = currentTraceContext();
  if (trace === null) return {};
  const carried = headers();
  carried.set(TRACEPARENT, trace);
  return { headers: carried };
}

/** The trace that a stored message carries, if any. */
export function traceOfMessage(header: MsgHdrs): TraceContext | undefined {
  return header.get(TRACEPARENT) || undefined;
}
