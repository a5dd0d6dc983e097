import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type EncryptionKey, encryptionKeysFromText } from './cipher.ts';
import { trustedProxiesFromText } from './http/connecting-address.ts';
import { MAX_PARTITIONS, partitionsFromText } from './partition-list.ts';
import { assertWholeProcessors, processorsFrom, processorVariables } from './processor-settings.ts';
import { callSettings, callVariables } from './variables/call-variables.ts';
import {
  apiKey,
  clusterName,
  type Environment,
  flag,
  niceness,
  port,
  publicOrigin,
  readVariables,
  url,
} from './variables/environment.ts';
import { accountLimitsOf, limitVariables } from './variables/limit-variables.ts';
import {
  assertPrivateWebhooks,
  outboundSettings,
  outboundVariables,
  privateWebhooksOf,
  witnessFrom,
} from './variables/outbound-variables.ts';
import { supervisionSettings, supervisionVariables } from './variables/supervision-variables.ts';

/**
 * The only place that reads the environment (architecture#folders): every variable of the four processes. The descriptions make
 * `operations/configuration.md`. An empty variable counts as absent, so that `API_KEY= npm start` means the default.
 */
export const processSchema = z.object({
  PORT: port.default(8080).describe('Port that the process listens on; of the launcher: the port of the gateway.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the process listens on.'),
  REUSE_PORT: flag.prefault('false').describe('Several processes on this machine share the port (Linux).'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('What is logged, as JSON lines on standard output.'),
  DATABASE_URL: url
    .default('postgres://meterbook@127.0.0.1:5432/meterbook')
    .describe('Postgres: the records; of several servers, with commas, the one that takes writes.'),
  NATS_URL: url.default('nats://127.0.0.1:4222').describe('NATS: the usage stream; several servers, with commas.'),
  CLICKHOUSE_URL: url.default('http://127.0.0.1:8123').describe('ClickHouse, over HTTP: the usage events.'),
  CLICKHOUSE_CLUSTER: clusterName.optional().describe('Cluster whose servers replicate the usage; absent: one server.'),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('Temporal: host and port.'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Namespace of the workflows.'),
  CLOSINGS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(8)
    .describe(
      'Customers whose periods a worker closes beside each other; `npm start` has one less than the machine has cores, 1 to 3.',
    ),
  TRUSTED_PROXIES: z
    .string()
    .prefault('')
    .transform((text, context) => {
      const trusted = trustedProxiesFromText(text);
      if (trusted) return trusted;
      context.addIssue({ code: 'custom', message: 'must list addresses and networks, as in 10.0.0.0/8,::1' });
      return z.NEVER;
    })
    .describe(
      'Proxies in front whose `X-Forwarded-*` headers are believed: `10.0.0.0/8,::1`. Of the API, ingest is one; `npm start` sees to that.',
    ),
  PUBLIC_URL: publicOrigin
    .optional()
    .describe(
      'Origin at which callers reach the service, as in `https://billing.example`. Links have it, and no other origin logs in; absent: what `TRUSTED_PROXIES` say.',
    ),
  ...limitVariables.shape,
  TEMPORAL_UI_URL: z
    .url()
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
    .optional()
    .describe("Temporal's UI as people here reach it, for links to workflows; absent: no links."),
  API_URL: url.default('http://127.0.0.1:8081').describe('Where ingest finds the API.'),
  AGGREGATOR_URL: url
    .default('http://127.0.0.1:8082')
    .describe('Where ingest finds the aggregators, with commas between.'),
  WORKER_URL: url.default('http://127.0.0.1:8083').describe('Where ingest finds the workers, with commas between.'),
  USAGE_PARTITIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PARTITIONS)
    .default(1)
    .describe('Partitions of the usage stream; fixed when the stream is made.'),
  AGGREGATOR_PARTITIONS: z
    .string()
    .transform(partitionsFromText)
    .optional()
    .describe('Partitions that this aggregator lands, as in `0,2` or `0-3`; absent: all.'),
  USAGE_STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1 << 20)
    .default(4 * 2 ** 30)
    .describe('Bytes at which the usage stream refuses events (503).'),
  USAGE_STREAM_KEEP_HOURS: z.coerce
    .number()
    .min(0)
    .default(7 * 24)
    .describe('For how long the usage stream keeps messages that have landed, while it has room.'),
  KNOWN_IDS_MAX_MB: z.coerce
    .number()
    .int()
    .min(2)
    .max(65_536)
    .default(512)
    .describe("Memory of the aggregator's filter over landed ids, 2 bytes an id; a full one only asks more often."),
  MAX_NAMED_FIELDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(100)
    .describe('Bad fields that a 422 names; further ones are left out.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Collector of traces (OTLP over HTTP), e.g. `http://otel:4318`; absent: no traces.'),
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('Replicas of the streams in a NATS cluster.'),
  ...callVariables.shape,
  ...processorVariables.shape,
  PROCESSORS_FILE: z
    .string()
    .optional()
    .describe(
      'A JSON file with the eight variables above, which may change while a process runs; the environment wins.',
    ),
  ENCRYPTION_KEYS: z
    .string()
    .optional()
    .describe('Keys of the secrets in the records, as `id:base64,...`, the newest first: 32 bytes each.'),
  ENCRYPTION_KEYS_FILE: z.string().optional().describe('A file with them, which may change while a process runs.'),
  CHAIN_HEADS_FILE: z
    .string()
    .optional()
    .describe(
      'A file to which a worker adds published heads of chains, and against which it verifies them every night.',
    ),
  DOCUMENTS_KEPT_MB_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(0)
    .default(256)
    .describe(
      'PDFs of invoices that are kept for an account, in MB; the oldest go first, and are made again when asked for.',
    ),
  ...outboundVariables.shape,
});

/** Every variable of `npm start` and of the commands. */
export const launcherSchema = z.object({
  PORT: port.default(8080).describe('Port of the gateway.'),
  PUBLIC_URL: publicOrigin.optional().describe('As above; `base_url` in `stack.json` stays the local address.'),
  DATA_DIR: z.string().default('.data').describe('Folder of the local stack: data, logs, stack.json.'),
  API_KEY: apiKey
    .optional()
    .describe('Key of the first account: 32 characters or more; absent: made once and kept in `DATA_DIR/api-key`.'),
  METERBOOK_CACHE_DIR: z.string().optional().describe('Where servers are kept that had to be fetched or built.'),
  XDG_CACHE_HOME: z
    .string()
    .optional()
    .describe(
      'Caches of this user: `meterbook` below it, without METERBOOK_CACHE_DIR. A user without a home directory has them in `DATA_DIR`.',
    ),
  NATS_SERVER_BIN: z.string().optional().describe('A nats-server of 2.12 or later to use.'),
  TEMPORAL_BIN: z
    .string()
    .optional()
    .describe('A Temporal CLI 1.9.1 to use, or another one with Temporal server 1.32.'),
  BACKGROUND_NICENESS: niceness
    .default(3)
    .describe(
      'How far the worker and Temporal stand back for calls and events; at 3 they keep about half the share of a call.',
    ),
  ...supervisionVariables.shape,
  DATABASE_URL: url.optional().describe('A Postgres to use instead of starting one.'),
  REPLICATION_URL: url
    .optional()
    .describe('The same Postgres for a role with the attribute REPLICATION, of `archive`; absent: DATABASE_URL.'),
  DRILL_DATABASE_URL: url
    .optional()
    .describe('Of `drill`: an empty Postgres to restore into, with the next two; absent: engines of its own.'),
  DRILL_CLICKHOUSE_URL: url.optional().describe('Of `drill`: an empty ClickHouse.'),
  DRILL_NATS_URL: url.optional().describe('Of `drill`: an empty NATS.'),
  DRILL_RECORDS_URL: url
    .optional()
    .describe('Of `drill --archive`: a Postgres brought up from the archive; absent: one of its own.'),
  NATS_URL: url.optional().describe('A NATS to use instead of starting one.'),
  CLICKHOUSE_URL: url.optional().describe('A ClickHouse to use instead of starting one.'),
  CLICKHOUSE_CLUSTER: clusterName.optional().describe('Its cluster, where it has one.'),
  TEMPORAL_ADDRESS: z.string().optional().describe('A Temporal to use instead of starting one.'),
  npm_lifecycle_event: z.string().optional().describe('Set by npm: the launcher then stops when npm goes away.'),
});

export type ProcessConfig = ReturnType<typeof loadProcessConfig>;
export type LauncherConfig = ReturnType<typeof loadLauncherConfig>;

/** Configuration of one of the four processes. Throws with every wrong variable named. */
export function loadProcessConfig(environment: Environment = process.env) {
  const e = readVariables(processSchema, environment);
  if (e.PROCESSORS_FILE === undefined) assertWholeProcessors(e);
  assertPrivateWebhooks(e.HOST, e.WEBHOOK_ALLOW_PRIVATE);
  return {
    port: e.PORT,
    host: e.HOST,
    /** Several processes on this machine share the port. */
    reusePort: e.REUSE_PORT,
    logLevel: e.LOG_LEVEL,
    databaseUrl: e.DATABASE_URL,
    natsUrl: e.NATS_URL,
    clickhouseUrl: e.CLICKHOUSE_URL,
    /** The cluster whose servers replicate the usage; absent: one server. */
    clickhouseCluster: e.CLICKHOUSE_CLUSTER,
    temporalAddress: e.TEMPORAL_ADDRESS,
    temporalNamespace: e.TEMPORAL_NAMESPACE,
    closingsAtOnce: e.CLOSINGS_AT_ONCE,
    /** The proxies in front of this process whose `X-Forwarded-*` headers count. */
    trustedProxies: e.TRUSTED_PROXIES,
    ...callSettings(e),
    /** The origin of every link; absent: it follows from the request. */
    publicOrigin: e.PUBLIC_URL,
    accountLimits: accountLimitsOf(e),
    /** Temporal's UI as people reach it; absent: it is not linked to. */
    temporalUiUrl: e.TEMPORAL_UI_URL,
    apiUrl: e.API_URL,
    aggregatorUrl: e.AGGREGATOR_URL,
    workerUrl: e.WORKER_URL,
    /** Who keeps published heads of chains. */
    chainWitnesses: { file: e.CHAIN_HEADS_FILE, server: witnessFrom(e) },
    usagePartitions: e.USAGE_PARTITIONS,
    /** The partitions that this aggregator lands, in ascending order; absent: all. */
    aggregatorPartitions: e.AGGREGATOR_PARTITIONS,
    usageStreamMaxBytes: e.USAGE_STREAM_MAX_BYTES,
    /** For how long the usage stream keeps messages that have landed, while it has room. */
    usageStreamKeepMs: e.USAGE_STREAM_KEEP_HOURS * 3_600_000,
    documentsKeptBytes: e.DOCUMENTS_KEPT_MB_PER_ACCOUNT * 2 ** 20,
    ...outboundSettings(e),
    knownIdsMaxBytes: e.KNOWN_IDS_MAX_MB * 2 ** 20,
    streamReplicas: e.STREAM_REPLICAS,
    /** Bad fields that a 422 names at most. */
    maxNamedFields: e.MAX_NAMED_FIELDS,
    /** Where traces go; absent: nowhere. */
    traceEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** The payment processors that can be connected now (spec/payments#processors): those whose client and secrets are set. */
    loadProcessors: () => processorsFrom({ ...settingsOfFile(e.PROCESSORS_FILE), ...e }),
    loadEncryptionKeys: () => loadEncryptionKeys(e.ENCRYPTION_KEYS, e.ENCRYPTION_KEYS_FILE),
  };
}

/**
 * The keys that secrets at rest are sealed under, the newest first (`id:base64,...`): of the variable, else of the file,
 * which may change while a process runs. None: nothing secret can be stored.
 */
function loadEncryptionKeys(text: string | undefined, file: string | undefined): EncryptionKey[] {
  const given = text ?? (file === undefined ? undefined : readFileSync(file, 'utf8'));
  try {
    return given === undefined ? [] : encryptionKeysFromText(given);
  } catch (error) {
    const name = text === undefined ? 'ENCRYPTION_KEYS_FILE' : 'ENCRYPTION_KEYS';
    throw new Error(`Wrong environment variables: ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * The variables that a file sets, as a JSON object; one that is not there sets none. What is wrong with it is said without a
 * word of it: it holds secrets.
 */
function settingsOfFile(file: string | undefined): z.output<typeof processorVariables> {
  if (file === undefined || !existsSync(file)) return {};
  return readVariables(processorVariables, jsonOfFile(file), `in PROCESSORS_FILE (${file})`);
}

function jsonOfFile(file: string): Environment {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Error(`Wrong environment variables: PROCESSORS_FILE: ${file} is not a JSON object of texts.`);
  }
}

/** Configuration of `npm start` and of the commands that look for a running stack (spec/service#local-stack). */
export function loadLauncherConfig(environment: Environment = process.env) {
  const e = readVariables(launcherSchema, environment);
  // Refused before anything starts.
  privateWebhooksOf(environment);
  return {
    port: e.PORT,
    dataDir: resolve(e.DATA_DIR),
    apiKey: e.API_KEY,
    cacheDir: e.METERBOOK_CACHE_DIR ?? join(e.XDG_CACHE_HOME ?? homeCache() ?? resolve(e.DATA_DIR), 'meterbook'),
    natsServerBin: e.NATS_SERVER_BIN,
    temporalBin: e.TEMPORAL_BIN,
    niceness: e.BACKGROUND_NICENESS,
    ...supervisionSettings(e),
    databaseUrl: e.DATABASE_URL,
    /** The same server, for a role that may replicate it; absent: the same role does. */
    replicationUrl: e.REPLICATION_URL,
    /** Where a drill restores to; absent: into engines of its own. */
    drillStores: drillStoresOf(e),
    drillRecordsUrl: e.DRILL_RECORDS_URL,
    natsUrl: e.NATS_URL,
    clickhouseUrl: e.CLICKHOUSE_URL,
    clickhouseCluster: e.CLICKHOUSE_CLUSTER,
    temporalAddress: e.TEMPORAL_ADDRESS,
    underNpm: e.npm_lifecycle_event !== undefined,
    /** The launcher's whole environment, which its processes inherit beneath their own variables. */
    environment,
  };
}

/** Returns the folder of this user's caches, or undefined for a user without a home directory. */
function homeCache(): string | undefined {
  try {
    return join(homedir(), '.cache');
  } catch {
    return undefined;
  }
}

/** Throws where one of the three is missing: what is restored must not meet what runs. */
function drillStoresOf({ DRILL_DATABASE_URL, DRILL_CLICKHOUSE_URL, DRILL_NATS_URL }: z.output<typeof launcherSchema>) {
  if (DRILL_DATABASE_URL !== undefined && DRILL_CLICKHOUSE_URL !== undefined && DRILL_NATS_URL !== undefined)
    return { databaseUrl: DRILL_DATABASE_URL, clickhouseUrl: DRILL_CLICKHOUSE_URL, natsUrl: DRILL_NATS_URL };
  if ((DRILL_DATABASE_URL ?? DRILL_CLICKHOUSE_URL ?? DRILL_NATS_URL) === undefined) return undefined;
  throw new Error(
    'Wrong environment variables: DRILL_DATABASE_URL, DRILL_CLICKHOUSE_URL and DRILL_NATS_URL must all be set, or none.',
  );
}
