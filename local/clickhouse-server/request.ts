import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline as pipe, type Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { exception, Refusal } from './exception.ts';
import { insertFromFile, readStatement } from './sql-text.ts';

/** What an HTTP request asks the engine to do (https://clickhouse.com/docs/interfaces/http). */
export type Request = {
  queryId: string;
  sql: string;
  lane: ReturnType<typeof readStatement>['lane'];
  marksSession: boolean;
  database: string;
  format: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
  /** The client can read a compressed answer and asked for one. */
  compress: boolean;
  /** An INSERT without a single byte of data: nothing to do. */
  empty: boolean;
  /** Removes the file the rows came in. */
  dispose(): Promise<void>;
};

/** Longer SQL than this in a body is refused: data belongs behind an INSERT that stands in the URL. */
const MAX_SQL_BYTES = 256 * 2 ** 20;

/** A server's own defaults (`http_max_fields`, `http_max_field_value_size`), for the query as well as for each parameter. */
const MAX_FIELDS = 1_000;
const MAX_FIELD_BYTES = 128 * 1024;

/** URL parameters of the HTTP interface itself, which the engine does not know as settings. */
const NOT_SETTINGS = new Set([
  ...[
    'query',
    'database',
    'default_format',
    'query_id',
    'user',
    'password',
    'quota_key',
    'role',
    'readonly',
    'cancel_http_readonly_queries_on_client_close',
    'compress',
    'decompress',
  ],
  ...['session_id', 'session_timeout', 'session_check', 'wait_end_of_query', 'buffer_size', 'enable_http_compression'],
  ...['http_zlib_compression_level', 'stacktrace', 'client_protocol_version', 'close_session'],
]);

/** Reads a request whole, the data of an INSERT into a file below `incoming`. Throws a Refusal for what a server would refuse. */
export async function readRequest(incoming: string, message: IncomingMessage, newId: () => string): Promise<Request> {
  const url = new URL(message.url ?? '/', 'http://localhost');
  const fields = new Map(url.searchParams);
  const inUrl = fields.get('query') ?? '';
  const queryId = fields.get('query_id') || newId();
  const file = join(incoming, newId());
  const body = decoded(message);
  const rows = inUrl !== '' && message.method === 'POST' ? insertFromFile(inUrl, file) : null;

  let sql = rows ?? inUrl;
  let empty = false;
  if (rows !== null) {
    const sink = createWriteStream(file);
    await pipeline(body, sink).catch(async (error) => {
      await rm(file, { force: true });
      throw error;
    });
    empty = sink.bytesWritten === 0;
  } else if (message.method === 'POST') {
    const text = await readText(message, body, fields);
    sql = inUrl !== '' && text !== '' ? `${inUrl}\n${text}` : inUrl + text;
  }
  const statement = readStatement(sql);
  if (statement.multiple)
    throw new Refusal(exception(62, 'Syntax error: Multi-statements are not allowed', 'SYNTAX_ERROR'));
  if (rows === null ? statement.namesFile : readStatement(inUrl).namesFile)
    throw new Refusal(exception(497, 'Files of this machine can not be named here', 'ACCESS_DENIED'));
  const lane = rows === null ? statement.lane : 'insert';
  // A session could not leave it again.
  if (Number(fields.get('readonly') ?? 0) > 0 && lane !== 'query')
    throw new Refusal(exception(164, 'Cannot execute query in readonly mode', 'READONLY'));

  return {
    queryId,
    sql,
    empty,
    lane,
    marksSession: statement.marksSession,
    database: fields.get('database') || header(message, 'x-clickhouse-database') || 'default',
    format: fields.get('default_format') || header(message, 'x-clickhouse-format') || 'TabSeparated',
    compress: fields.get('enable_http_compression') === '1' && /\bgzip\b/.test(header(message, 'accept-encoding')),
    ...settingsAndParameters(fields),
    dispose: () => (rows === null ? Promise.resolve() : rm(file, { force: true })),
  };
}

function settingsAndParameters(fields: Map<string, string>) {
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of fields) {
    if (NOT_SETTINGS.has(name)) continue;
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new Refusal(exception(115, `Unknown setting '${name}'`, 'UNKNOWN_SETTING'));
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
    else settings.set(name, value);
  }
  return { settings, parameters };
}

/** The body as SQL; a multipart body carries `query` and the parameters that do not fit into a URL. */
async function readText(message: IncomingMessage, body: Readable, fields: Map<string, string>): Promise<string> {
  const type = header(message, 'content-type');
  const bytes = await buffer(body);
  if (bytes.length > MAX_SQL_BYTES) throw new Refusal(exception(396, 'The SQL is too long', 'TOO_MANY_BYTES'));
  if (!type.startsWith('multipart/form-data')) return bytes.toString('utf8');
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const texts = [...form].flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []));
  if (texts.length > MAX_FIELDS) throw new Refusal(exception(1000, 'Too many form fields', 'POCO_EXCEPTION'));
  for (const { name, value } of texts) {
    const isLong = Buffer.byteLength(value) > MAX_FIELD_BYTES;
    if (isLong) throw new Refusal(exception(1000, `Field value too long: ${name}`, 'POCO_EXCEPTION'));
    if (name !== 'query') fields.set(name, value);
  }
  const query = form.get('query');
  return typeof query === 'string' ? query : '';
}

function decoded(message: IncomingMessage): Readable {
  const encoding = header(message, 'content-encoding');
  const decoder = decoderOf(encoding);
  if (decoder === undefined)
    throw new Refusal(exception(1, `Unknown content encoding ${encoding}`, 'UNSUPPORTED_METHOD'));
  if (decoder === null) return message;
  return pipe(message, decoder, () => undefined); // an error reaches whoever reads the decoder
}

function decoderOf(encoding: string): Transform | null | undefined {
  if (encoding === '' || encoding === 'identity') return null;
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'zstd' ? createZstdDecompress() : undefined;
}

function header(message: IncomingMessage, name: string): string {
  const value = message.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}
