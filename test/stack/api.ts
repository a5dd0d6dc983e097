import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { undocumentedIn } from '../openapi/documented-answer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFile;
    /** Its DATA_DIR. */
    dataDir: string;
  }
}

/** Parsed JSON that a test may walk into; numbers, strings and booleans are leaves of it. */
export interface Json {
  [key: string]: Json | undefined;
}

/** The items of a list in an answer; throws where there is none. */
export function itemsOf(list: Json | undefined): Json[] {
  if (!Array.isArray(list)) throw new Error('an answer has no list where one belongs');
  return list;
}

export type Answer = {
  status: number;
  headers: Headers;
  /** The body; numbers are floats. */
  body: Json;
  /** The body with every number as its source text, for exact digits: `{amount: '0.30'}`. */
  exact: Json;
  /** The body as it was sent. */
  text: string;
};

export type Api = ReturnType<typeof api>;

/** The stack that the stack tests speak to. */
export function stack(): StackFile {
  return inject('stack');
}

/** How long a patient client goes on repeating, in milliseconds: what was killed is back by then. */
const PATIENCE_MS = 30_000;
/** Calls that wait for a workflow: a 503 does not say whether what they ask will be done, so they carry a key. */
const WAITS_FOR_WORKFLOW = /\/(pause|resume|cancel|switch_plan|pay|change-prepaid-units)\/?$/;

/**
 * A client that speaks with `key`; `null` sends none. Bodies that are strings go out as they are. It shows every answer as it
 * is, so that a short outage fails the test that meets it, and fails by itself for one that is not as the API's document says: with a
 * field missing or too many. `isOldRelease`: whom it asks has a document of its own. `isPatient`, only for tests that kill or stop something, or that are not about time: as a careful
 * caller does it repeats what was answered 503 with `Retry-After`, or not at all, under the same Idempotency-Key.
 */
export function api(key: string | null, baseUrl?: string, { isPatient = false, isOldRelease = false } = {}) {
  const call = (method: string) => async (path: string, body?: unknown, headers?: Record<string, string>) => {
    const url = new URL(path, baseUrl ?? stack().base_url);
    const isKeyed = isPatient && method === 'POST' && WAITS_FOR_WORKFLOW.test(url.pathname);
    const all = {
      ...(key !== null && { 'X-API-KEY': key }),
      ...(isKeyed && { 'Idempotency-Key': newId('req') }),
      ...headers,
    };
    const once = () => send(method, url, body, all);
    const isRepeatable = method === 'GET' || 'Idempotency-Key' in all || url.pathname === '/api/track';
    const answer = await (isPatient ? patiently(once, isRepeatable) : once());
    const isPreview = url.searchParams.get('preview') === 'true';
    const problem = isOldRelease ? undefined : undocumentedIn({ method, path: url.pathname, isPreview }, answer);
    if (problem === undefined) return answer;
    const [sent, got] = [JSON.stringify(body) ?? '', answer.text].map((text) => text.slice(0, 1_000));
    throw new Error(`${method} ${url} ${sent}\nwas answered ${answer.status} ${got}\nnot as documented: ${problem}`);
  };
  return { get: call('GET'), post: call('POST'), patch: call('PATCH'), put: call('PUT'), delete: call('DELETE') };
}

/** Repeats a call until it is answered otherwise than 503; one that got no answer only where a second sending does no harm. */
async function patiently(call: () => Promise<Answer>, isRepeatable: boolean): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let isRepeat = false; ; isRepeat = true) {
    const isOver = performance.now() > deadline;
    const answer = await call().catch((error: unknown) => {
      if (!isRepeatable || isOver) throw error;
    });
    if (answer && (isOver || !isUnfinished(answer, isRepeat))) return answer;
    await sleep(1_000 * Number(answer?.headers.get('retry-after') ?? 1));
  }
}

/** Not done yet: a service is away for a moment, or the call itself, sent before, still runs. */
function isUnfinished({ status, headers, body }: Answer, isRepeat: boolean): boolean {
  if (status === 503) return headers.has('retry-after');
  return isRepeat && status === 409 && String(body.detail).includes('Idempotency-Key is still running');
}

async function send(method: string, url: URL, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : {}) as Json,
    exact: (isJson ? parseWithNumberTexts(text) : {}) as Json,
    text,
  };
}

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function parseWithNumberTexts(text: string): unknown {
  const parse = JSON.parse as (text: string, reviver: SourceReviver) => unknown;
  return parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}
