import { createLog } from '../../runtime/log.ts';
import { connectStream, type StreamConnection } from '../../stream/connection.ts';

/** The service repeats a request that takes longer than 2 s; a test waits as long as a busy machine or a slow disk takes. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Connects to a stream for what a test itself asks it. */
export function patientStream(url: string): Promise<StreamConnection> {
  return connectStream(url, 'test', createLog('test', 'silent'), REQUEST_TIMEOUT_MS);
}
