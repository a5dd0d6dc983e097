import openapiClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/api.ts';
import { fullJitter } from './jitter.ts';
import { retryAfterMs } from './retry-after.ts';

export type ClientOptions = {
  /** Of the service, as `https://billing.example.com`. */
  baseUrl: string;
  apiKey: string;
  /** In place of the global one: for a proxy, or a test. */
  fetch?: (request: Request) => Promise<Response>;
  /** How long an answer is waited for, each time it is asked for; 30,000. */
  timeoutMs?: number;
  /** How often a call is made again; 3. */
  maxRetries?: number;
};

/** A typed call for each operation: `client.GET('/api/plans/{plan_id}', ...)`, by whose `data` or `error` one goes on. */
export type MeterbookClient = Client<paths>;

/** What waits first, doubling from try to try. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Nothing was done, or nothing is known; what a POST has done its Idempotency-Key tells the service. */
const RETRIED = new Set([429, 503]);
/** The code of a 409 for a retry that meets its own first try. */
const IN_PROGRESS = 'idempotency_in_progress';

/**
 * Creates a client of the API. A call that gets no answer, 429, 503, or 409 with code `idempotency_in_progress` is made again, never
 * before the `Retry-After`. A POST keeps its Idempotency-Key. The call rejects if there is no answer in the end.
 */
export function createClient({ baseUrl, apiKey, ...options }: ClientOptions): MeterbookClient {
  const { fetch = globalThis.fetch, timeoutMs = 30_000, maxRetries = 3 } = options;
  const askOnce = (request: Request) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    return fetch(new Request(request, { signal }));
  };
  const ask = async (request: Request): Promise<Response> => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    }
    for (let tries = 0; ; tries++) {
      const isLast = tries >= maxRetries;
      let waitMs = fullJitter(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries));
      try {
        const response = await askOnce(isLast ? request : request.clone());
        if (isLast || !(await isRetried(response))) return response;
        waitMs = Math.max(waitMs, retryAfterMs(response.headers));
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
      }
      await waited(waitMs, request.signal);
    }
  };
  return openapiClient<paths>({ baseUrl, fetch: ask, headers: { 'X-API-KEY': apiKey } });
}

async function isRetried(response: Response): Promise<boolean> {
  if (response.status !== 409) return RETRIED.has(response.status);
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as { code?: unknown } | null | undefined)?.code === IN_PROGRESS;
}

/** @throws the signal's reason */
function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
