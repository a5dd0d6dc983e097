import type { TraceContext } from '../runtime/tracing.ts';
import type { StreamConnection } from './connection.ts';
import { REPLAY_OF } from './dead-letters.ts';
import { type ReadLimits, readStored } from './read-stored.ts';
import { USAGE_STREAM, usageSubject } from './subjects.ts';
import { traceOfMessage } from './trace-header.ts';

/** One stored message of the usage stream, undecoded. `isReplay`: it comes from the dead letters. `trace`: where its edge was traced. */
export type UsageGroup = { sequence: number; data: Uint8Array; isReplay?: boolean; trace?: TraceContext };

/**
 * Reads stored groups of a partition in order, from stream sequence `from` on: at most `maxMessages` and about `maxBytes`.
 * There is no consumer on the server and nothing to acknowledge: the landed position is the only place a reader keeps,
 * so every restart, reconnect and takeover simply reads again. An empty answer means that nothing is there yet.
 * @throws when the stream is away, or the answer was cut off or lacks a message; what arrived before may be asked for again.
 */
export async function readUsageGroups(
  connection: StreamConnection,
  partition: number,
  from: number,
  limits: ReadLimits,
): Promise<UsageGroup[]> {
  const messages = await readStored(connection, USAGE_STREAM, usageSubject(partition), from, limits);
  return messages.map(({ seq, data, header }) => {
    const trace = traceOfMessage(header);
    return { sequence: seq, data, isReplay: header.has(REPLAY_OF), ...(trace && { trace }) };
  });
}
