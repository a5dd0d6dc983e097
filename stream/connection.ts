import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../runtime/log.ts';

/** A connection to the stream's server that comes back by itself for ever. */
export type StreamConnection = {
  nats: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
  close(): Promise<void>;
};

/** Short, so that a restarted server is found at once; jitter keeps many clients apart. */
const RECONNECT_WAIT_MS = 100;

/** A request of the JetStream API that takes longer has failed unless the caller asks for another limit; callers retry. */
const REQUEST_TIMEOUT_MS = 2_000;

/** A server that does not answer two pings in a row counts as gone. */
const PING_INTERVAL_MS = 5_000;

/**
 * Connects to one of the servers of a cluster (`url`: one or several, separated by commas, with `user:password@` where the server
 * asks for it); waits for ever while the server is not there yet. `name` is what the server shows for this client.
 */
export async function connectStream(
  url: string,
  name: string,
  log: Log,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): Promise<StreamConnection> {
  const nats = await connect({
    ...serversOf(url),
    name,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_WAIT_MS,
    timeout: REQUEST_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
  });
  void logStatus(nats, log);
  const js = jetstream(nats, { timeout: requestTimeoutMs });
  const jsm = await jetstreamManager(nats, { checkAPI: false, timeout: requestTimeoutMs });
  return { nats, js, jsm, close: () => nats.close() };
}

async function logStatus(nats: NatsConnection, log: Log) {
  for await (const status of nats.status()) {
    if (status.type === 'disconnect' || status.type === 'reconnect') log.warn({ status: status.type }, 'usage stream');
  }
}

/** The servers of an address list, and the user they are entered as: the library takes it apart from the addresses. */
export function serversOf(list: string): { servers: string[]; user?: string; pass?: string } {
  const urls = list.split(',').map((address) => {
    const text = address.trim();
    return new URL(text.includes('://') ? text : `nats://${text}`);
  });
  const named = urls.find(({ username }) => username !== '');
  return {
    servers: urls.map(({ host }) => host),
    ...(named && { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }),
  };
}
