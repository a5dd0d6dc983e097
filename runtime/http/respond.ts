import type { Context } from 'hono';
import { stringifyExactJson } from '../exact-json.ts';

/** Answers with JSON in which decimals keep their exact digits; 204 has no body. */
export function sendJson(c: Context, status: number, value: unknown, headers: Record<string, string> = {}): Response {
  const all = { ...headers, 'X-Request-Id': String(c.get('requestId')) };
  if (status === 204) return new Response(null, { status, headers: all });
  return new Response(stringifyExactJson(value), {
    status,
    headers: { ...all, 'Content-Type': 'application/json; charset=utf-8' },
  });
}
