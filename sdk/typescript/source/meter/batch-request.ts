import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { retryAfterMs } from '../retry-after.ts';
import type { FieldErrors } from './errors.ts';
import type { Lines } from './lines.ts';

const compress = promisify(gzip);
/** JSON of a kind shrinks to a fifth at once; what more there is to gain costs several times as much. */
const GZIP = { level: constants.Z_BEST_SPEED };
/** Tried again, for ever: nothing is wrong with the events. */
const RETRIED = new Set([401, 403, 408, 429]);

export type Service = { baseUrl: string; apiKey: string; timeoutMs: number };

/** One of the lines, from 0, that is not stored. */
export type Rejected = { index: number; errors: FieldErrors };

/** What became of lines that were sent together: each stored but those at `rejected`; or refused as a whole; or neither is known. */
export type Answer =
  | { type: 'answered'; rejected: Rejected[] }
  | { type: 'refused'; errors: FieldErrors }
  | { type: 'failed'; error: Error; retryAfterMs: number };

/** Sends lines to `POST /api/events/batch` once. */
export async function sendBatch(
  { baseUrl, apiKey, timeoutMs }: Service,
  { bytes, events }: Lines,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const headers = { 'X-API-KEY': apiKey, 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };
    const response = await fetch(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/events/batch`, {
      method: 'POST',
      headers,
      body: await compress(bytes, GZIP),
      // The key is the service's alone.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return answerOf(response, await response.text(), events);
  } catch (error) {
    return { type: 'failed', error: new Error(`No answer: ${causeOf(error)}`, { cause: error }), retryAfterMs: 0 };
  }
}

function answerOf(response: Response, text: string, events: number): Answer {
  const { status, headers } = response;
  const body = parsed(text);
  if (status === 200) {
    const rejected = rejectedIn(body, events);
    if (rejected) return { type: 'answered', rejected };
  }
  if (status >= 400 && status < 500 && !RETRIED.has(status)) return { type: 'refused', errors: errorsIn(body, status) };
  const error = new Error(`Answered ${status}: ${text.slice(0, 500)}`);
  return { type: 'failed', error, retryAfterMs: retryAfterMs(headers) };
}

/** Undefined for what is not the service's answer to as many events: somebody else's, of a proxy or a captive portal. */
function rejectedIn(body: unknown, events: number): Rejected[] | undefined {
  if (!isObject(body) || !Array.isArray(body.rejected) || body.accepted !== events - body.rejected.length) {
    return undefined;
  }
  const rejected = body.rejected.filter(isRejected).filter(({ index }) => index >= 0 && index < events);
  return rejected.length === body.rejected.length ? rejected : undefined;
}

function isRejected(value: unknown): value is Rejected {
  return isObject(value) && typeof value.index === 'number' && isObject(value.errors);
}

/** The field map of a 422, else what the answer says of the whole. */
function errorsIn(body: unknown, status: number): FieldErrors {
  if (status === 422 && isObject(body)) return body as FieldErrors;
  const detail = isObject(body) && typeof body.detail === 'string' ? body.detail : 'Refused.';
  return { event: [`${status}: ${detail}`] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `fetch` says "fetch failed"; why stands in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? cause.message || String(cause) : error.message;
}
