import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { StreamConnection } from './connection.ts';
import { type StreamSettings, wantedStream } from './streams.ts';
import { USAGE_STREAM } from './subjects.ts';

/**
 * Whether a 200 of the edge means "on disk" here. `problems`: known to be wrong, the edge is not ready. `unverified`:
 * the server does not tell; said in readiness and in the log, but no reason to refuse events.
 */
export type Durability = { problems: string[]; unverified: string[] };

/** The first version whose file store fsyncs before the ack as asked by `sync_interval: always`. */
const MIN_SERVER_VERSION = [2, 12] as const;

/** Servers of a cluster that have not answered by then are left out. */
const ASK_ALL_SERVERS_MS = 500;

/**
 * The servers' own account of themselves. It lives in the system account: our account sees it where the server's
 * configuration exports it there and imports it here (stream/README.md shows the lines).
 */
const SERVERS_SUBJECT = '$SYS.REQ.SERVER.PING.JSZ';

/** Reads the real configuration of the server(s) and of the usage stream (architecture#the-edge-and-the-stream). Throws when NATS is away. */
export async function checkDurability(connection: StreamConnection, settings: StreamSettings): Promise<Durability> {
  const [servers, stream] = await Promise.all([askServers(connection.nats), streamProblems(connection.jsm, settings)]);
  const version = connection.nats.info?.version ?? 'unknown';
  const problems = isAtLeast(version, MIN_SERVER_VERSION)
    ? stream
    : [`nats-server is ${version}; 2.12 or later is needed.`, ...stream];
  if (servers.length === 0) {
    return { problems, unverified: ['The server does not show whether sync_interval is always.'] };
  }
  const lazy = servers.filter((server) => !server.syncAlways).map((server) => server.name);
  if (lazy.length > 0) problems.push(`sync_interval is not always on ${lazy.join(', ')}.`);
  return { problems, unverified: [] };
}

type ServerReport = { name: string; syncAlways: boolean };

async function askServers(nats: NatsConnection): Promise<ServerReport[]> {
  const reports: ServerReport[] = [];
  try {
    // Where nothing answers the first request says so at once; only a cluster needs the wait for the others.
    reports.push(toReport((await nats.request(SERVERS_SUBJECT, '', { timeout: ASK_ALL_SERVERS_MS })).json()));
    if (nats.info?.cluster) {
      const answers = await nats.requestMany(SERVERS_SUBJECT, '', { maxWait: ASK_ALL_SERVERS_MS, strategy: 'timer' });
      for await (const answer of answers) reports.push(toReport(answer.json()));
    }
  } catch {
    return reports;
  }
  return reports;
}

function toReport(answer: { server?: { name?: string }; data?: { config?: { sync_always?: boolean } } }): ServerReport {
  return { name: answer.server?.name ?? 'a server', syncAlways: answer.data?.config?.sync_always === true };
}

async function streamProblems(jsm: JetStreamManager, settings: StreamSettings): Promise<string[]> {
  const wanted = wantedStream(settings, USAGE_STREAM);
  const { config } = await jsm.streams.info(USAGE_STREAM);
  const must = ['storage', 'retention', 'discard', 'max_age', 'max_bytes'] as const;
  const problems = must
    .filter((field) => config[field] !== wanted[field])
    .map((field) => `The usage stream's ${field} is ${config[field]} instead of ${wanted[field]}.`);
  if (config.max_msgs > 0) problems.push(`The usage stream is limited to ${config.max_msgs} messages.`);
  if (config.num_replicas < settings.streamReplicas) {
    problems.push(`The usage stream has ${config.num_replicas} replicas instead of ${settings.streamReplicas}.`);
  }
  return problems;
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}
