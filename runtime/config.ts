import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type EncryptionKey, encryptionKeysFromText } from './cipher.ts';

/**
 * What every process and the launcher read from the environment: the only place that does (design 2).
 * An empty variable counts as absent, so that `API_KEY= npm start` means the default.
 */
const port = z.coerce.number().int().min(0).max(65_535);
const url = z.string().min(1);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** Stands in SQL text (`ON CLUSTER`): a plain name, or a macro of the servers such as `{cluster}`. */
const clusterName = z.string().regex(/^[\w.-]+$|^\{\w+\}$/, 'must be a name of letters, digits, _ . - or a {macro}');

const MAX_PARTITIONS = 256;

const processSchema = z.object({
  PORT: port.default(8080),
  HOST: z.string().default('127.0.0.1'),
  REUSE_PORT: flag.default(false),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DATABASE_URL: url.default('postgres://meterbook@127.0.0.1:5432/meterbook'),
  NATS_URL: url.default('nats://127.0.0.1:4222'),
  CLICKHOUSE_URL: url.default('http://127.0.0.1:8123'),
  CLICKHOUSE_CLUSTER: clusterName.optional(),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  API_URL: url.default('http://127.0.0.1:8081'),
  AGGREGATOR_URL: url.default('http://127.0.0.1:8082'),
  WORKER_URL: url.default('http://127.0.0.1:8083'),
  USAGE_PARTITIONS: z.coerce.number().int().min(1).max(MAX_PARTITIONS).default(1),
  AGGREGATOR_PARTITIONS: z.string().transform(partitionsFromText).optional(),
  USAGE_STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1 << 20)
    .default(4 * 2 ** 30),
  USAGE_STREAM_KEEP_HOURS: z.coerce
    .number()
    .min(0)
    .default(7 * 24),
  /** The aggregator's filter over landed ids: 1.5 bytes an id, so by default 350 million before it asks more often. */
  KNOWN_IDS_MAX_MB: z.coerce.number().int().min(2).max(65_536).default(512),
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  STRIPE_API_BASE: z.url().optional(),
  STRIPE_CLIENT_ID: z.string().optional(),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  BRAINTREE_API_BASE: z.url().optional(),
  BRAINTREE_CLIENT_ID: z.string().optional(),
  BRAINTREE_SECRET_KEY: z.string().optional(),
  BRAINTREE_WEBHOOK_SECRET: z.string().optional(),
  ENCRYPTION_KEYS: z.string().optional(),
  ENCRYPTION_KEYS_FILE: z.string().optional(),
});

const launcherSchema = z.object({
  PORT: port.default(8080),
  DATA_DIR: z.string().default('.data'),
  API_KEY: z.string().min(16, 'API_KEY must have at least 16 characters').optional(),
  METERBOOK_CACHE_DIR: z.string().optional(),
  XDG_CACHE_HOME: z.string().optional(),
  NATS_SERVER_BIN: z.string().optional(),
  TEMPORAL_BIN: z.string().optional(),
  DATABASE_URL: url.optional(),
  NATS_URL: url.optional(),
  CLICKHOUSE_URL: url.optional(),
  CLICKHOUSE_CLUSTER: clusterName.optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  npm_lifecycle_event: z.string().optional(),
});

export type ProcessConfig = ReturnType<typeof loadProcessConfig>;
export type LauncherConfig = ReturnType<typeof loadLauncherConfig>;

type Environment = Record<string, string | undefined>;

/** Configuration of one of the four processes. Throws with every wrong variable named. */
export function loadProcessConfig(environment: Environment = process.env) {
  const e = read(processSchema, environment);
  return {
    port: e.PORT,
    host: e.HOST,
    /** Several processes on this machine share the port. */
    reusePort: e.REUSE_PORT,
    logLevel: e.LOG_LEVEL,
    databaseUrl: e.DATABASE_URL,
    natsUrl: e.NATS_URL,
    clickhouseUrl: e.CLICKHOUSE_URL,
    /** The cluster whose servers replicate the usage store; absent: one server. */
    clickhouseCluster: e.CLICKHOUSE_CLUSTER,
    temporalAddress: e.TEMPORAL_ADDRESS,
    temporalNamespace: e.TEMPORAL_NAMESPACE,
    apiUrl: e.API_URL,
    aggregatorUrl: e.AGGREGATOR_URL,
    workerUrl: e.WORKER_URL,
    usagePartitions: e.USAGE_PARTITIONS,
    /** The partitions that this aggregator lands, in ascending order; absent: all. */
    aggregatorPartitions: e.AGGREGATOR_PARTITIONS,
    usageStreamMaxBytes: e.USAGE_STREAM_MAX_BYTES,
    /** For how long the usage stream keeps messages that have landed, while it has room. */
    usageStreamKeepMs: e.USAGE_STREAM_KEEP_HOURS * 3_600_000,
    knownIdsMaxBytes: e.KNOWN_IDS_MAX_MB * 2 ** 20,
    streamReplicas: e.STREAM_REPLICAS,
    /** The payment processors that can be connected (contract 10); one without its client and secrets is not configured. */
    processors: {
      ...processorSettings('stripe', {
        apiBase: e.STRIPE_API_BASE,
        clientId: e.STRIPE_CLIENT_ID,
        secretKey: e.STRIPE_SECRET_KEY,
        webhookSecret: e.STRIPE_WEBHOOK_SECRET,
      }),
      ...processorSettings('braintree', {
        apiBase: e.BRAINTREE_API_BASE,
        clientId: e.BRAINTREE_CLIENT_ID,
        secretKey: e.BRAINTREE_SECRET_KEY,
        webhookSecret: e.BRAINTREE_WEBHOOK_SECRET,
      }),
    },
    loadEncryptionKeys: () => loadEncryptionKeys(e.ENCRYPTION_KEYS, e.ENCRYPTION_KEYS_FILE),
  };
}

/**
 * The keys that secrets at rest are sealed under, the newest first (`id:base64,...`): of the variable, else of the file,
 * which may change while a process runs. None: nothing secret can be stored.
 */
function loadEncryptionKeys(text: string | undefined, file: string | undefined): EncryptionKey[] {
  const given = text ?? (file === undefined ? undefined : readFileSync(file, 'utf8'));
  return given === undefined ? [] : encryptionKeysFromText(given);
}

type Settings = Record<'clientId' | 'secretKey' | 'webhookSecret', string>;

function processorSettings<Name extends 'stripe' | 'braintree'>(
  name: Name,
  given: Partial<Record<keyof Settings | 'apiBase', string | undefined>>,
): { [name in Name]?: Settings & { apiBase: string | undefined } } {
  const { apiBase, clientId, secretKey, webhookSecret } = given;
  if (!clientId || !secretKey || !webhookSecret) return {};
  return { [name]: { apiBase, clientId, secretKey, webhookSecret } } as {
    [name in Name]?: Settings & { apiBase: string | undefined };
  };
}

/** Configuration of `npm start` and of the commands that look for a running stack (contract 16). */
export function loadLauncherConfig(environment: Environment = process.env) {
  const e = read(launcherSchema, environment);
  return {
    port: e.PORT,
    dataDir: resolve(e.DATA_DIR),
    apiKey: e.API_KEY,
    cacheDir: e.METERBOOK_CACHE_DIR ?? join(e.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'meterbook'),
    natsServerBin: e.NATS_SERVER_BIN,
    temporalBin: e.TEMPORAL_BIN,
    databaseUrl: e.DATABASE_URL,
    natsUrl: e.NATS_URL,
    clickhouseUrl: e.CLICKHOUSE_URL,
    clickhouseCluster: e.CLICKHOUSE_CLUSTER,
    temporalAddress: e.TEMPORAL_ADDRESS,
    underNpm: e.npm_lifecycle_event !== undefined,
    /** The launcher's whole environment, which its processes inherit beneath their own variables. */
    environment,
  };
}

/** `0,2` or `0-3,8` as the numbers it names, each once and in ascending order. */
function partitionsFromText(text: string, context: z.core.$RefinementCtx): number[] {
  const spans = text.split(',').map((part) => /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part));
  const numbers = spans.flatMap((span) => {
    const [first, last] = [Number(span?.[1]), Number(span?.[2] ?? span?.[1])];
    return first <= last && last < MAX_PARTITIONS
      ? Array.from({ length: last - first + 1 }, (_, i) => first + i)
      : [NaN];
  });
  if (numbers.some(Number.isNaN)) {
    context.addIssue({
      code: 'custom',
      message: `must list partitions from 0 to ${MAX_PARTITIONS - 1}, as in 0,2 or 0-3`,
    });
  }
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function read<T extends z.ZodType>(schema: T, environment: Environment): z.output<T> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Wrong environment variables:\n  ${lines.join('\n  ')}`);
}
