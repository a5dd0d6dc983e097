import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../core/ids.ts';

/** A process or an engine that was killed is back within this; a call still unanswered then has found something. */
const GIVE_UP_MS = 240_000;
const RETRY_MS = 200;
/** The gateway gives the API a minute (ingest/gateway.ts). */
const ANSWER_MS = 65_000;

export type Method = 'GET' | 'POST' | 'PATCH';

export type Answer = { status: number; body: Json; text: string };

/** Parsed JSON to walk into; numbers are floats, fit for ids and counts only. */
export type Json = { [key: string]: Json | undefined } & { length?: number };

/** The items of a list in an answer. */
export function itemsOf(list: Json | undefined): Json[] {
  if (!Array.isArray(list)) throw new Error('an answer has no list where one belongs');
  return list;
}

/**
 * A careful client: asks until there is an answer that is not a failure of the service; a POST keeps its Idempotency-Key, so
 * that it is done once. Throws where none comes in time, or one that is neither 2xx nor 409.
 */
export type Caller = (method: Method, path: string, body?: object) => Promise<Answer>;

/** Counts of what came back, by status; 0 is no answer at all. */
export type AnswerCounts = Map<number, number>;

export function createCaller(baseUrl: string, apiKey: string, counts: AnswerCounts): Caller {
  return async (method, path, body) => {
    const key = newId('req');
    const begun = performance.now();
    for (;;) {
      const answer = await ask(new URL(path, baseUrl), method, body, { 'X-API-KEY': apiKey, 'Idempotency-Key': key });
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      const { status, text } = answer;
      if (isSettled(answer)) {
        if (status < 300 || status === 409) return answer;
        throw new Error(`${method} ${path} ${JSON.stringify(body)} answered ${status}: ${text}`);
      }
      if (performance.now() - begun > GIVE_UP_MS) {
        throw new Error(`${method} ${path} (key ${key}) got ${status} ${text} for ${GIVE_UP_MS / 1000} s`);
      }
      await sleep(RETRY_MS);
    }
  };
}

/** The first call of a key may still be under way when its repeat comes (spec/api#idempotency-key). */
function isSettled({ status, body }: Answer): boolean {
  return status > 0 && status < 500 && !(status === 409 && /still running/.test(String(body.detail)));
}

async function ask(
  url: URL,
  method: Method,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, body: (isJson ? JSON.parse(text) : {}) as Json, text };
  } catch (error) {
    return { status: 0, body: {}, text: String(error) };
  }
}
