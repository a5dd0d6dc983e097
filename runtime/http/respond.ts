import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { stringifyExactJson } from '../exact-json.ts';

/**
 * Answers with JSON in which decimals keep their exact digits; 204 has no body. `admit` sees the length of the text and may
 * throw instead.
 */
export function sendJson(
  c: Context,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
  admit?: (length: number) => void,
): Response {
  if (status !== 204) return sendWritten(c, status, stringifyExactJson(value), headers, admit);
  return new Response(null, { status, headers: { ...headers, 'X-Request-Id': String(c.get('requestId')) } });
}

/** As {@link sendJson}, with JSON that is there as its text, or as that in UTF-8. */
export function sendWritten(
  c: Context,
  status: number,
  json: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  admit?: (length: number) => void,
): Response {
  admit?.(json.length);
  const own = { 'X-Request-Id': String(c.get('requestId')), 'Content-Type': 'application/json; charset=utf-8' };
  return new Response(json, { status, headers: { ...headers, ...own } });
}

/** Answers with a file that a browser shows; its name has only letters, digits, dots and dashes. `admit` is as in {@link sendJson}. */
export function sendFile(
  c: Context,
  type: string,
  { filename, bytes }: { filename: string; bytes: Uint8Array },
  admit?: ((length: number) => void) | false,
): Response {
  if (admit) admit(bytes.length);
  const headers = {
    'X-Request-Id': String(c.get('requestId')),
    'Content-Type': type,
    'Content-Disposition': `inline; filename="${filename}"`,
  };
  return new Response(new Uint8Array(bytes), { status: 200, headers });
}

/** Answers a request that did not come to Hono with text that is JSON, as it is or as bytes in pieces. */
export function writeJson(
  response: ServerResponse,
  status: number,
  text: string | readonly Buffer[],
  headers: Record<string, string>,
): void {
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.reduce((sum, { length }) => sum + length, 0);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes,
  });
  if (typeof text === 'string') response.end(text);
  else {
    for (const piece of text) response.write(piece);
    response.end();
  }
}
