import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../../core/ids.ts';
import type { Log } from '../log.ts';
import { errorBody } from './errors.ts';
import { logRequest } from './request-log.ts';
import { NO_ROUTE, requestTally } from './request-tallies.ts';
import { dropUnreadBody } from './unread-body.ts';

/** Requests that no route may see, answered in the shape of every other error. */

type Flaw = { status: number; detail: string };

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** What Node's parser says of bytes that never become a request. */
const UNPARSED: Record<string, Flaw> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions are too large.' },
};
const NOT_HTTP: Flaw = { status: 400, detail: 'This is not a valid HTTP request.' };
const NO_TUNNEL: Flaw = { status: 405, detail: 'This server does not have CONNECT.' };

/** A name or an address, and a port. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
/** Whether a text may stand as the host of a URL. */
export const isHost = (text: string): boolean => HOST.test(text);

/** Segments that URL parsers resolve, encoded or not, and the backslash that they take for a slash: ids never are these. */
const RESOLVED = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

type RequestHead = Pick<IncomingMessage, 'url' | 'headers' | 'httpVersion'>;

/** What is wrong with a request that Node itself lets through, if anything. */
export function flawOf({ url = '', headers, httpVersion }: RequestHead): Flaw | undefined {
  const { host, 'transfer-encoding': encoding } = headers;
  if (host === undefined ? httpVersion !== '1.0' : !isHost(host)) {
    return { status: 400, detail: 'The Host header is missing or not valid.' };
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return { status: 400, detail: 'The transfer encoding must be chunked.' };
  }
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.startsWith('/') && !/^https?:\/\//i.test(path)) return NOT_HTTP;
  return RESOLVED.test(path) ? { status: 404, detail: 'There is nothing at this path.' } : undefined;
}

/** Answers a request that has a flaw. */
export async function refuse(request: IncomingMessage, response: ServerResponse, flaw: Flaw, log: Log): Promise<void> {
  const startedAt = performance.now();
  await dropUnreadBody(request);
  const { requestId, body, headers } = answerTo(flaw);
  response.writeHead(flaw.status, headers).end(body);
  const { method = '', url = '' } = request;
  logRequest(log, 'info', { requestId, method, url, status: flaw.status, startedAt });
}

/** Answers what never becomes a request: what cannot be parsed, or arrives too slowly, or wants a tunnel. */
export function answerBrokenRequests(server: Server, log: Log): void {
  /** Answers under way: of several requests sent at once the later ones wait for the first. */
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, response) => {
    const underWay = answers.get(socket) ?? new Set();
    answers.set(socket, underWay.add(response));
    response.once('close', () => underWay.delete(response));
  });
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    const underWay = [...(answers.get(socket) ?? [])].filter(({ writableFinished }) => !writableFinished);
    // Bytes of another answer must not be followed by ours.
    if (!socket.writable || underWay.some(({ headersSent }) => headersSent) || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    // A request whose body breaks off has a handler, which writes its line.
    const into = underWay.length > 0 ? undefined : log;
    sendRaw(socket, UNPARSED[error.code ?? ''] ?? NOT_HTTP, into);
  });
  server.on('connect', (_request, socket) => sendRaw(socket, NO_TUNNEL, log));
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    void refuse(request, response, { status: 417, detail: 'The Expect header must be 100-continue.' }, log);
  });
}

function sendRaw(socket: Duplex, flaw: Flaw, log: Log | undefined): void {
  const { requestId, body, headers } = answerTo(flaw);
  if (log) requestTally({ route: NO_ROUTE, method: 'none', status: flaw.status }).add(0);
  log?.info({ request_id: requestId, status: flaw.status, reason: flaw.detail }, 'request');
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${flaw.status} ${REASONS[flaw.status]}`, ...lines].join('\r\n');
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

function answerTo({ status, detail }: Flaw) {
  const requestId = newId('req');
  const body = JSON.stringify(errorBody(status, detail, requestId));
  const headers = {
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(status === 405 && { Allow: 'GET, POST, PATCH, DELETE' }),
  };
  return { requestId, body, headers };
}
