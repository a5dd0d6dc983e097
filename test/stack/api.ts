import { inject } from 'vitest';
import type { StackFile } from '../../local/stack-file.ts';

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

/** A client that speaks with `key`; `null` sends none. Bodies that are strings go out as they are. */
export function api(key: string | null, baseUrl?: string) {
  const call = (method: string) => (path: string, body?: unknown, headers?: Record<string, string>) =>
    send(method, new URL(path, baseUrl ?? stack().base_url), body, {
      ...(key !== null && { 'X-API-KEY': key }),
      ...headers,
    });
  return { get: call('GET'), post: call('POST'), patch: call('PATCH'), put: call('PUT'), delete: call('DELETE') };
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
