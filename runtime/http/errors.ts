import type { Context } from 'hono';
import { DomainError } from '../../core/domain-error.ts';
import { BadJson } from '../exact-json.ts';
import { sendJson } from './respond.ts';

/** A refusal decided by the HTTP layer itself, before any rule is asked. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Where one status stands for several refusals; else it follows from that. */
  readonly code: string | undefined;

  constructor(status: number, detail: string, headers: Record<string, string> = {}, code?: string) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

/** Seconds a client is asked to wait after a 503: a restarted process or engine is back within that. */
const RETRY_AFTER_SECONDS = '1';

/** What the HTTP layer's own refusals are called; those of rules have the code of their DomainError. */
const CODE_OF_STATUS: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  410: 'gone',
  413: 'too_large',
  415: 'unsupported_content_encoding',
  417: 'expectation_failed',
  429: 'too_many_requests',
  431: 'headers_too_large',
  499: 'caller_gone',
  500: 'internal_error',
  503: 'unavailable',
};

/** The body of every error but 422 (spec/api#errors). */
type ErrorBody = { detail: string; code: string; request_id: string };

/** The body of an error that no rule gave: its code follows from its status. */
export function errorBody(status: number, detail: string, requestId: string): ErrorBody {
  return { detail, code: CODE_OF_STATUS[status] ?? `http_${status}`, request_id: requestId };
}

const STATUS_OF_REFUSAL: Record<DomainError['code'], number> = {
  contradiction: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid: 422,
  unavailable: 503,
};

/** An answer before it is written: by Hono, or by the edge's own writer of `/api/track`. */
export type Answer = {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** What went wrong on our side: for the log, never for the caller. */
  cause?: unknown;
};

/** Every error becomes an answer here and nowhere else (spec/api#errors). */
export function answerOf(error: unknown, requestId: string): Answer {
  if (error instanceof DomainError && error.fields) return { status: 422, body: error.fields, headers: {} };
  const detail = detailFor(requestId);
  if (error instanceof DomainError) {
    const { body, ...rest } = detail(STATUS_OF_REFUSAL[error.code], error.message);
    return { ...rest, body: { ...body, code: error.reason ?? error.code }, cause: error.cause };
  }
  if (error instanceof HttpError) {
    const { body, ...rest } = detail(error.status, error.message, error.headers);
    return { ...rest, body: { ...body, ...(error.code !== undefined && { code: error.code }) } };
  }
  if (error instanceof BadJson) return detail(400, error.message);
  if (isStoreAway(error)) {
    const away = detail(503, 'A part of the service is not reachable right now. Try again.');
    return { ...away, cause: error };
  }
  const failed = detail(500, 'Something went wrong on our side. The error has been recorded.');
  return { ...failed, cause: error };
}

/** The answer to an error in a Hono handler; what went wrong goes with the request's line in the log. */
export function errorResponse(c: Context, error: unknown): Response {
  return refusalResponse(c, answerOf(error, String(c.get('requestId'))));
}

/** As {@link errorResponse}, of an error that has become an answer already. */
export function refusalResponse(c: Context, { status, body, headers, cause }: Answer): Response {
  c.set('cause', cause);
  return sendJson(c, status, body, headers);
}

/** What every answer of a status tells beside its body. */
const HEADERS_OF_STATUS: Record<number, Record<string, string>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  503: { 'Retry-After': RETRY_AFTER_SECONDS },
};

function detailFor(requestId: string) {
  return (status: number, message: string, headers: Record<string, string> = {}): Answer => ({
    status,
    body: errorBody(status, message, requestId),
    headers: { ...HEADERS_OF_STATUS[status], ...headers },
  });
}

/** Codes by which Node, Postgres, ClickHouse, NATS and gRPC clients say that the other side is not there. */
const AWAY_CODES = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  '57014', // query_canceled: a statement took longer than statement_timeout, so nothing was changed
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '08006', // connection_failure
  '242', // ClickHouse cluster: TABLE_IS_READ_ONLY, its Keeper is away
  '289', // ClickHouse cluster: REPLICA_IS_NOT_IN_QUORUM, this server lacks the newest rows, another has them
  '999', // ClickHouse cluster: KEEPER_EXCEPTION
  14, // gRPC UNAVAILABLE
  4, // gRPC DEADLINE_EXCEEDED
]);

const AWAY_NAMES = new Set(['ConnectionError', 'ClosedConnectionError', 'NoRespondersError', 'TimeoutError']);

/** Likewise, where they give no code: Postgres's client, and ClickHouse's when its request times out. */
const AWAY_WORDS =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|^timeout expired$|^Query read timeout$|^Timeout error\.$/;

function isStoreAway(error: unknown): boolean {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    if ('code' in e && AWAY_CODES.has(e.code)) return true;
    if (AWAY_NAMES.has(e.name) || AWAY_WORDS.test(e.message)) return true;
    if (e instanceof AggregateError && e.errors.some(isStoreAway)) return true;
  }
  return false;
}
