import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { unavailable } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';
import { foreignRequestId, type HttpApp, inRequestSpan, type Shortcut } from '../runtime/http/app.ts';
import { connectingAddress, type TrustedProxies } from '../runtime/http/connecting-address.ts';
import { answerOf, HttpError } from '../runtime/http/errors.ts';
import { forwardedUrl } from '../runtime/http/public-url.ts';
import { logRequest } from '../runtime/http/request-log.ts';
import { writeJson } from '../runtime/http/respond.ts';
import { dropUnreadBody } from '../runtime/http/unread-body.ts';
import type { Log } from '../runtime/log.ts';
import { currentTraceContext } from '../runtime/tracing.ts';

/** The API sends something within this; a hung one must not hold connections for ever. */
const API_TIMEOUT_MS = 60_000;
/**
 * A connection to the API that is not used is closed after this. Node closes it earlier if the API announces a shorter keep-alive
 * (KEEP_ALIVE_SECONDS), so that the API never closes a connection under a request.
 */
const IDLE_MS = 30_000;

/** What the gateway forwards is one route of it: the API tells them apart. */
const PASSED_ON = 'api';

/** Headers about one connection, which say nothing about the other one. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Those of a request that are not copied; some are set anew. */
const NOT_COPIED = new Set([
  ...OF_THE_CONNECTION,
  'expect',
  'host',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
]);
const NOT_COPIED_IN_TRACE = new Set([...NOT_COPIED, 'traceparent']);

/**
 * A request on its way through the gateway. `url`: the whole URL that this process was asked for. `from`: the address of the
 * caller. `seen`: the origin as the caller wrote it.
 */
type Passing = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  requestId: string;
  from: string;
  seen: URL;
};

/** Asks the API; resolves with the head of its answer. */
type Ask = (passing: Passing) => Promise<IncomingMessage>;

/**
 * Every path that is not one of `app` is forwarded to the API as it is, by Node's own server and client: Request, Response
 * and fetch would cost more than most answers of the API. Bodies are piped, never held. A line in the log is at debug: the
 * API tells of the request in its own, under the same id.
 */
export function forwardToApi(
  app: HttpApp,
  { apiUrl, trustedProxies }: { apiUrl: string; trustedProxies: TrustedProxies },
  log: Log,
): Shortcut {
  const isOwn = ownPaths(app);
  const ask = askApi(new URL(apiUrl));
  return (request, response) => {
    const url = URL.parse(wholeUrl(request));
    if (url && isOwn(request.method, url)) return false;
    const startedAt = performance.now();
    const { method = '', url: target = '' } = request;
    const requestId = foreignRequestId(request.headers['x-request-id'] as string | undefined) ?? newId('req');
    const traceparent = request.headers.traceparent as string | undefined;
    const { remoteAddress: remote } = request.socket;
    const from = connectingAddress(remote, headerOf(request, 'x-forwarded-for'), trustedProxies);
    const seen = url && forwardedUrl(url, (name) => headerOf(request, name), { remote, trusted: trustedProxies });
    let answered: Answered = { status: 0 };
    void inRequestSpan({ method, path: url?.pathname ?? target, requestId, traceparent }, async () => {
      answered = await answer({ request, response, requestId, from }, url && seen && { url, seen }, ask);
      return answered.status;
    }).then(() =>
      logRequest(log, 'debug', { requestId, method, url: target, route: PASSED_ON, startedAt, ...answered }),
    );
    return true;
  };
}

/** The URL that was asked for; none of a client so old that it does not say which host it means. */
function wholeUrl({ url = '', headers: { host } }: IncomingMessage): string {
  if (!url.startsWith('/')) return url;
  return host === undefined ? '' : `http://${host}${url}`;
}

/** Whether a request is for a path of the app itself, by the app's rules of what a path is. */
function ownPaths(app: HttpApp): (method: string | undefined, url: URL) => boolean {
  const own = new Set(app.routes.filter(({ path }) => path !== '/*').map(({ method, path }) => `${method} ${path}`));
  return (method, url) => {
    const path = app.getPath({ url: url.href } as Request);
    return own.has(`ALL ${path}`) || own.has(`${method === 'HEAD' ? 'GET' : method} ${path}`);
  };
}

/** Returns all values of a header as one text. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  return headers[name]?.toString();
}

type Answered = { status: number; cause?: unknown };

type Urls = Pick<Passing, 'url' | 'seen'>;

async function answer(passing: Omit<Passing, keyof Urls>, urls: Urls | null, ask: Ask): Promise<Answered> {
  const { request, response, requestId } = passing;
  // The caller may go at any time, which is no failure of ours.
  response.on('error', () => {});
  try {
    if (!urls) throw new HttpError(400, 'The Host header is missing or not valid.');
    if (request.method === 'TRACE') {
      throw new HttpError(405, 'This path does not have TRACE.', { Allow: 'GET, POST, PATCH, DELETE' });
    }
    const answered = await ask({ ...passing, ...urls });
    await dropUnreadBody(request);
    relay(answered, response, requestId);
    return { status: response.statusCode };
  } catch (error) {
    await dropUnreadBody(request);
    const { status, body, headers, cause } = answerOf(error, requestId);
    if (response.headersSent) response.destroy();
    if (response.destroyed) return { status };
    writeJson(response, status, JSON.stringify(body), { ...headers, 'X-Request-Id': requestId });
    return { status, cause };
  }
}

function askApi(api: URL): Ask {
  const { request: send, Agent } = api.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const { hostname, port } = urlToHttpOptions(api);
  const prefix = api.pathname.replace(/\/$/, '');

  function ask(passing: Passing, connection: 'kept' | 'new'): Promise<IncomingMessage> {
    const { request, response, url } = passing;
    return new Promise((resolve, reject) => {
      const sent = send({
        hostname,
        port,
        method: request.method,
        path: `${prefix}${url.pathname}${url.search}`,
        headers: headersFor(passing),
        agent: connection === 'kept' ? agent : false,
        timeout: API_TIMEOUT_MS,
      });
      sent.once('timeout', () => sent.destroy(new Error(`The API sent nothing for ${API_TIMEOUT_MS} ms.`)));
      let headIsThere = false;
      sent.on('error', (error) => {
        // Whoever pipes the answer sees that it broke off.
        if (headIsThere) return;
        if (closedBefore(sent, error) && isRepeatable(request) && !response.destroyed) resolve(ask(passing, 'new'));
        else reject(Object.assign(unavailable('The API is not reachable right now. Try again.'), { cause: error }));
      });
      sent.once('response', (answered) => {
        headIsThere = true;
        leaveUnsent(request, sent, answered);
        resolve(answered);
      });
      response.once('close', () => {
        if (!response.writableFinished) sent.destroy();
      });
      if (hasBody(request)) request.pipe(sent);
      else sent.end();
    });
  }
  return (passing) => ask(passing, 'kept');
}

const hasBody = ({ headers: { 'content-length': length = '0', 'transfer-encoding': encoding } }: IncomingMessage) =>
  length !== '0' || encoding !== undefined;

/** Whether the API closed a connection that it had kept, as it does when it stops, while the request was on its way. */
function closedBefore(sent: ClientRequest, error: Error & { code?: string }): boolean {
  return sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** Whether a second sending does no harm, and all of it is still there to be sent. */
function isRepeatable(request: IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
}

/** An API that answers before it has read the whole body does not get the rest. */
function leaveUnsent(request: IncomingMessage, sent: ClientRequest, answered: IncomingMessage): void {
  if (sent.writableEnded) return;
  request.unpipe(sent);
  answered.once('end', () => sent.destroy());
}

/** Returns what the caller sent, and the origin that it wrote: the API makes absolute URLs from that. */
function headersFor({ request, url, requestId, from, seen }: Passing): string[] {
  const { rawHeaders, headers: given, method } = request;
  const trace = currentTraceContext();
  const headers = ['Host', given.host ?? url.host, 'X-Request-Id', requestId, 'X-Forwarded-For', from];
  copyHeaders(rawHeaders, headers, trace === null ? NOT_COPIED : NOT_COPIED_IN_TRACE);
  if (trace !== null) headers.push('traceparent', trace);
  headers.push('X-Forwarded-Host', seen.host, 'X-Forwarded-Proto', seen.protocol.slice(0, -1));
  if (given['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  else if (given['content-length'] === undefined && method !== 'GET' && method !== 'HEAD') {
    // Node would send an empty body in chunks.
    headers.push('Content-Length', '0');
  }
  return headers;
}

/** Copies headers as Node has them, a name and a value in turn, but for those of `except`. */
function copyHeaders(from: readonly string[], to: string[], except: ReadonlySet<string>): void {
  for (let i = 0; i + 1 < from.length; i += 2) {
    const [name, value] = [from[i] as string, from[i + 1] as string];
    if (!except.has(name.toLowerCase())) to.push(name, value);
  }
}

/** Gives the caller the API's answer. One that breaks off breaks off here too: half of it must not look whole. */
function relay(answered: IncomingMessage, response: ServerResponse, requestId: string): void {
  if (answered.destroyed && !answered.complete) throw unavailable('The API broke off its answer. Try again.');
  const headers = answered.headers['x-request-id'] === undefined ? ['X-Request-Id', requestId] : [];
  copyHeaders(answered.rawHeaders, headers, OF_THE_CONNECTION);
  response.writeHead(answered.statusCode ?? 502, headers);
  answered.once('close', () => {
    if (!answered.complete) response.destroy();
  });
  answered.pipe(response);
}
