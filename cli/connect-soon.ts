import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../runtime/log.ts';
import { connectStream, type StreamConnection, serversOf } from '../stream/connection.ts';

/** A person waits: a stream that is away is said, not waited for. */
const CONNECT_MS = 5_000;

/** A connection to the usage stream. Throws with its address where it does not answer soon. */
export async function connectSoon(url: string, log: Log): Promise<StreamConnection> {
  const connection = await Promise.race([connectStream(url, 'cli', log), sleep(CONNECT_MS)]);
  if (!connection) throw new Error(`The usage stream at ${serversOf(url).servers.join(', ')} does not answer.`);
  return connection;
}
