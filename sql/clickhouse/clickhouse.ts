import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  type QueryParams,
} from '@clickhouse/client';
import { assertNoTransaction } from '../postgres/postgres.ts';
import { onCluster } from './on-cluster.ts';
import { inParts, type ParameterizedQuery } from './query-parameters.ts';

const CLICKHOUSE_DATABASE = 'meterbook';

/** A request to ClickHouse that takes longer than this has failed: the caller retries or answers 503. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * On a cluster a claim, a probe for known ids and a usage cutoff rely on reading what has been inserted, whichever server answers: an
 * insert is done when most replicas have it, and a query that meets one which lacks it fails, to be repeated. ClickHouse
 * offers that only where inserts into a table take turns: the one that comes meanwhile fails and is repeated.
 */
const ONE_TRUTH: ClickHouseSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  select_sequential_consistency: '1',
  // The server must give up before the client does: then nothing is under way when the insert is repeated.
  insert_quorum_timeout: REQUEST_TIMEOUT_MS / 2,
};

/**
 * A client of ClickHouse. `cluster`: the store is replicated (CLICKHOUSE_CLUSTER), `url` leads to any of its servers; a path in it names
 * another database than {@link CLICKHOUSE_DATABASE}.
 * `requestTimeoutMs`: less than {@link REQUEST_TIMEOUT_MS} for one that never inserts.
 */
export function createClickHouse(
  url: string,
  cluster?: string,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): ClickHouseClient {
  return createClient({
    url,
    ...(new URL(url).pathname === '/' && { database: CLICKHOUSE_DATABASE }),
    request_timeout: requestTimeoutMs,
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    // What it would log it also throws, and whoever catches that logs it.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: 1,
      ...(cluster && ONE_TRUTH),
    },
  });
}

/** Makes the database where it is missing; run before the first use of {@link createClickHouse}. */
export async function createClickHouseDatabase(url: string, cluster?: string): Promise<void> {
  const client = createClient({ url, database: 'default' });
  try {
    const query = `CREATE DATABASE IF NOT EXISTS ${CLICKHOUSE_DATABASE}`;
    await client.command({ query: cluster ? onCluster(query, cluster) : query });
  } finally {
    await client.close();
  }
}

/** Resolves when ClickHouse answers a query, rejects when it does not. */
export async function pingClickHouse(client: ClickHouseClient): Promise<void> {
  const ping = await client.ping({ select: true });
  if (!ping.success) throw ping.error;
}

/** ClickHouse for who only asks: its client, or what asks it in turn with others. */
export type ClickHouseReader = {
  query(params: QueryParams & { format: 'JSONEachRow' }): Promise<{ json<Row>(): Promise<Row[]> }>;
};

/** ClickHouse ends a read whose client is gone, by the caller's leave or by its own time limit, and only one that may not write. */
const ENDS_WITH_ITS_CLIENT: ClickHouseSettings = { readonly: '2', cancel_http_readonly_queries_on_client_close: 1 };

/** The rows that ClickHouse answers. `settings`: among them the limits of the question. Throws where it fails or meets one. */
export async function askRows<Row>(
  clickhouse: ClickHouseReader,
  { sql, params }: ParameterizedQuery,
  settings: ClickHouseSettings = {},
): Promise<Row[]> {
  assertNoTransaction('ClickHouse');
  const answer = await clickhouse.query({
    query: sql,
    query_params: params,
    // Ids of hundreds of customers, a thousand fingerprints, long filters do not fit into a URL.
    use_multipart_params_auto: true,
    clickhouse_settings: { ...ENDS_WITH_ITS_CLIENT, ...settings },
    format: 'JSONEachRow',
  });
  return answer.json<Row>();
}

/** What a question about usage may take, and what is done when that is not enough. */
export type QuestionLimits = {
  settings: ClickHouseSettings;
  /** ClickHouse's errors that a smaller statement may not meet. */
  halvedAt: ReadonlySet<string>;
  /** Of a statement of several questions, where it may be longer than {@link MAX_BYTES}. */
  maxBytes?: number;
  /** How a single question that met one of them is asked once more; without it, it fails. */
  alone?: ClickHouseSettings;
};

const GIB = 2 ** 30;

/** A statement that is too long is never sent; the first three are ClickHouse's own bounds on what a text may unfold to. */
const TOO_BIG = ['168' /* TOO_BIG_AST */, '167' /* TOO_DEEP_AST */, '306' /* TOO_DEEP_RECURSION */, '241' /* MEMORY */];
const TOO_SLOW = ['159' /* TIMEOUT_EXCEEDED */, '160' /* TOO_SLOW */];

const OF_EACH_QUESTION: ClickHouseSettings = {
  // An answer is a few rows: threads to write it take longer than to write it.
  output_format_parallel_formatting: 0,
  // There are none: to look for one takes a tenth of a small question's time.
  optimize_use_projections: 0,
};

/**
 * A person waits, and may go away: one huge customer must not take the server down, so a question beyond these fails.
 * `unique` keeps 16 bytes and the slack of a hash table for each distinct text: enough for about 40 million of them.
 */
export const OF_A_CALLER: QuestionLimits = {
  settings: { ...OF_EACH_QUESTION, max_execution_time: 30, max_memory_usage: String(2 * GIB) },
  halvedAt: new Set(TOO_BIG),
};

/** One account's question holds up what is looked for in all of them. */
export const OF_A_WATCH: QuestionLimits = {
  settings: { ...OF_EACH_QUESTION, max_execution_time: 5, max_memory_usage: String(GIB) },
  halvedAt: new Set([...TOO_BIG, ...TOO_SLOW]),
};

/** A caller's question about thousands of customers at once, whose ids are in lists: what takes long is asked in smaller and smaller parts. */
export const OF_A_COUNT: QuestionLimits = { ...OF_A_WATCH, maxBytes: 1024 * 1024, alone: OF_A_CALLER.settings };

const CLOSING_HOURS = 6;
/** A client that waits for a closing's question: longer than the server works on it, so that the server ends first. */
export const CLOSING_REQUEST_MS = CLOSING_HOURS * 3_600_000 + 60_000;

/**
 * A closing must come to its end, however large the customer: what is too much at once is asked in smaller and smaller
 * parts, and a question that is too much by itself with hours of time, and groups that go to disk instead of memory.
 */
export const OF_A_CLOSING: QuestionLimits = {
  settings: { ...OF_EACH_QUESTION, max_execution_time: 120, max_memory_usage: String(2 * GIB) },
  halvedAt: new Set([...TOO_BIG, ...TOO_SLOW]),
  alone: {
    ...OF_EACH_QUESTION,
    max_execution_time: CLOSING_HOURS * 3600,
    max_memory_usage: String(4 * GIB),
    max_bytes_before_external_group_by: String(GIB),
  },
};

/** A statement of more than one question that is longer than ClickHouse would take. */
class TooLong extends Error {
  constructor() {
    super('too many questions for one statement');
  }
}

/** Whether ClickHouse works, and refused this very question. */
export function isRefusedQuestion(error: unknown): boolean {
  return error instanceof ClickHouseError;
}

/** Whether fewer questions, or other limits, may have an answer where these failed: ClickHouse's error, or a refusal for it. */
function isTooMuch(error: unknown, { halvedAt }: QuestionLimits): boolean {
  if (error instanceof TooLong) return true;
  const own = error instanceof ClickHouseError ? error : error instanceof Error && error.cause;
  return own instanceof ClickHouseError && halvedAt.has(own.code);
}

/** Questions in one statement: each of them takes some 5 ms to plan, so that no statement takes long for their number alone. */
const MAX_QUESTIONS = 50;
/** Of text and parameters. ClickHouse parses 256 KiB, and a field of a form, such as the text, has at most 128. */
const MAX_BYTES = 120 * 1024;
/** ClickHouse takes 1,000 fields in one request: parameters, and a few dozen settings. */
const MAX_PARAMETERS = 900;
/** Statements of one caller under way at once: what is left of the server is for others. */
const SLICES_AT_ONCE = 2;

/** Asks one statement within the limits; `settings` are those of the question itself. */
export type AskStatement = <Row>(query: ParameterizedQuery, settings?: ClickHouseSettings) => Promise<Row[]>;

/**
 * Answers to any number of questions, in their order: asked in slices, so that each statement is bounded in length, and a
 * slice that is too much for one statement by halves. `askSome` makes one statement of the questions it gets, by
 * `statement`, and answers them in their order; `alone` says that its only question was too much, and cannot be halved.
 */
export async function askInSlices<Q, A>(
  clickhouse: ClickHouseReader,
  questions: readonly Q[],
  limits: QuestionLimits,
  askSome: (some: readonly Q[], statement: AskStatement, alone: boolean) => Promise<A[]>,
): Promise<A[]> {
  const slices = inParts(questions, MAX_QUESTIONS);
  const answers: A[][] = [];
  const waiting = slices.entries();
  let failed = false;

  async function askWaiting() {
    for (const [i, slice] of waiting) {
      if (failed) return;
      answers[i] = await askSlice(slice);
    }
  }

  async function askSlice(slice: readonly Q[]): Promise<A[]> {
    const statement: AskStatement = (query, settings) => {
      if (slice.length > 1 && !fits(query, limits)) throw new TooLong();
      return askRows(clickhouse, query, { ...limits.settings, ...settings });
    };
    try {
      return await askSome(slice, statement, false);
    } catch (error) {
      if (!isTooMuch(error, limits)) throw error;
      if (slice.length > 1) return askHalves(slice);
      if (limits.alone === undefined) throw error;
      const { alone } = limits;
      return askSome(slice, (query, settings) => askRows(clickhouse, query, { ...settings, ...alone }), true);
    }
  }

  async function askHalves(slice: readonly Q[]): Promise<A[]> {
    const middle = Math.ceil(slice.length / 2);
    const first = await askSlice(slice.slice(0, middle));
    return [...first, ...(await askSlice(slice.slice(middle)))];
  }

  const lanes = Array.from({ length: Math.min(SLICES_AT_ONCE, slices.length) }, askWaiting);
  await Promise.all(lanes).catch((error) => {
    failed = true;
    throw error;
  });
  return answers.flat();
}

function fits({ sql, params }: ParameterizedQuery, { maxBytes = MAX_BYTES }: QuestionLimits): boolean {
  const values = Object.values(params);
  if (values.length > MAX_PARAMETERS) return false;
  const text = JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return Buffer.byteLength(sql) + Buffer.byteLength(text) <= maxBytes;
}
