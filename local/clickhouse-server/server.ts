import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { gzip } from 'node:zlib';
import { createShell, type Shell, type Stoppable } from '../../runtime/lifecycle.ts';
import { createLog, type Log } from '../../runtime/log.ts';
import { writeAccessRights } from './access-rights.ts';
import { HEALTH_PATH, refusalOf } from './caller.ts';
import { type Exception, exceptionOf, Refusal } from './exception.ts';
import { type Request, readRequest } from './request.ts';
import { type Outcome, Sessions } from './sessions.ts';

/** As ClickHouse's own default; longer than the official client's idle limit of 2.5 s, so that it never meets a closed socket. */
const KEEP_ALIVE_MS = 10_000;
/** Parameters of commands are in the URI, which ClickHouse takes up to this length (http_max_uri_size). */
const URI_BYTES = 2 ** 20;

export type ServerOptions = { path: string; port: number; password: string };

/**
 * Serves ClickHouse's HTTP interface on 127.0.0.1 over the engine of one data directory, well enough for the official client.
 * Everything is answered whole: a result is held in memory until it is sent. It takes requests of its one user alone, by HTTP
 * Basic, and none of a web page (caller.ts). Does not start where another process has the directory. `port` 0 takes a free one.
 * It stops after what runs.
 */
export function createClickHouseServer(options: ServerOptions, log: Log = createLog('clickhouse', 'info')): Shell {
  return createShell(log, async (started) => started(await serve(options, log)));
}

async function serve({ path, port, password }: ServerOptions, log: Log): Promise<Stoppable> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const incoming = join(path, 'incoming');
  const rights = writeAccessRights(join(path, 'access'));
  const sessions = new Sessions(join(path, 'engine'), Math.min(4, availableParallelism()), rights);
  rmSync(incoming, { recursive: true, force: true }); // bodies that a crash left: none of them was acknowledged
  mkdirSync(incoming);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: URI_BYTES }, (message, response) => {
    const isProbe = asksNothing(message);
    const refusal = refusalOf(message.headers, { password, isProbe });
    if (refusal) return refuse(response, refusal);
    if (message.url === HEALTH_PATH) return void answerHealth(sessions, response);
    if (isProbe) return void response.end('Ok.\n');
    answer(sessions, incoming, message, response).catch((error) => {
      log.error({ err: error }, 'request failed');
      response.destroy();
    });
  });
  await listen(server, port);
  const address = `http://127.0.0.1:${portOf(server)}`;
  log.info({ path, address }, 'serving');
  return {
    name: 'http',
    address,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await sessions.close();
      setImmediate(() => server.closeIdleConnections());
      await closed;
    },
  };
}

/** What only wants to know whether the server is there. */
function asksNothing({ method, url = '/' }: IncomingMessage): boolean {
  return (
    ['/ping', '/replicas_status', HEALTH_PATH].includes(url.split('?', 1)[0] ?? '') ||
    (method === 'GET' && !url.includes('query='))
  );
}

/** Says whether the engine works, not only this server in front of it. */
async function answerHealth(sessions: Sessions, response: ServerResponse) {
  await sessions.check().then(
    () => response.end('Ok.\n'),
    (error) => sendException(response, undefined, error),
  );
}

/** The connection ends with it: what was refused may still be sending. */
function refuse(response: ServerResponse, refusal: Exception) {
  response.setHeader('Connection', 'close');
  sendException(response, undefined, new Refusal(refusal));
}

async function answer(sessions: Sessions, incoming: string, message: IncomingMessage, response: ServerResponse) {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  let request: Request | undefined;
  try {
    request = await readRequest(incoming, message, randomUUID);
    const outcome = request.empty ? NOTHING : await sessions.run({ ...request, signal: gone.signal });
    await sendOutcome(response, request, outcome);
  } catch (error) {
    sendException(response, request?.queryId, error);
  } finally {
    await request?.dispose();
  }
}

const NOTHING: Outcome = { bytes: new Uint8Array(), rows: 0, bytesRead: 0, elapsedNs: 0 };

async function sendOutcome(response: ServerResponse, request: Request, outcome: Outcome) {
  const written = request.lane === 'insert';
  const counts = { rows: String(outcome.rows), bytes: String(outcome.bytesRead) };
  const summary = {
    read_rows: counts.rows,
    read_bytes: counts.bytes,
    written_rows: written ? counts.rows : '0',
    written_bytes: written ? counts.bytes : '0',
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: String(outcome.bytes.length),
    elapsed_ns: String(outcome.elapsedNs),
  };
  response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary));
  response.setHeader('X-ClickHouse-Query-Id', request.queryId);
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  response.setHeader('X-ClickHouse-Server-Display-Name', 'meterbook-local');
  response.setHeader(
    'Content-Type',
    request.format.startsWith('JSON') ? 'application/json; charset=UTF-8' : 'text/plain; charset=UTF-8',
  );
  if (!request.compress) return void response.end(outcome.bytes);
  response.setHeader('Content-Encoding', 'gzip');
  response.end(await zipped(outcome.bytes));
}

function sendException(response: ServerResponse, queryId: string | undefined, error: unknown) {
  const { code, text, status } = error instanceof Refusal ? error.exception : exceptionOf(error);
  if (response.headersSent) return void response.destroy();
  response.statusCode = status;
  response.setHeader('X-ClickHouse-Exception-Code', String(code));
  if (queryId) response.setHeader('X-ClickHouse-Query-Id', queryId);
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  response.end(`${text}\n`);
}

function zipped(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    gzip(bytes, { level: 1 }, (error, out) => (error ? reject(error) : resolve(out))),
  );
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
