import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { BadFields, fieldName, invalid } from '../../core/domain-error.ts';
import { isFields } from '../../core/fields.ts';
import { assertDepth, assertFewValues, BadJson, parseExactJson } from '../exact-json.ts';
import { HttpError } from './errors.ts';

/**
 * The request's body as text, or undefined where there is none. Keeps at most `limit` bytes, of chunked bodies too.
 * @throws HttpError 415 for an encoded body, 413 above the limit, 400 for a content type that is not JSON; BadJson for broken UTF-8.
 */
async function readBodyText(c: Context, limit: number): Promise<string | undefined> {
  const bytes = afterByteOrderMark(await readBytes(c, limit));
  if (bytes.length === 0) return undefined;
  assertJsonType(c.req.header('content-type'));
  return textOf(bytes);
}

/** As {@link readBodyText}, of any content type: for bodies that are signed as they are. */
export async function readRawBody(c: Context, limit: number): Promise<string> {
  return textOf(await readBytes(c, limit));
}

async function readBytes(c: Context, limit: number): Promise<Buffer> {
  assertPlainEncoding(c.req.header('content-encoding'));
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > limit) throw tooLarge(limit);
  return declared > 0 ? readDeclared(c) : readChunked(c, limit);
}

/** @throws HttpError 415 for a body that is compressed or otherwise encoded: none is taken. */
export function assertPlainEncoding(header: string | undefined): void {
  if (header === undefined || header.trim().toLowerCase() === 'identity') return;
  throw new HttpError(415, 'The body must not be encoded: send it without Content-Encoding.', {
    'Accept-Encoding': 'identity',
  });
}

/** @throws HttpError 400 for a content type that is not JSON, whatever its parameters. */
export function assertJsonType(header: string | undefined): void {
  if (header === 'application/json' || header?.split(';')[0]?.trim().toLowerCase() === 'application/json') return;
  throw new HttpError(400, 'The content type must be application/json.');
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The bytes of a body of JSON behind the byte order mark that some programs write before it (spec/api#bodies). */
export function afterByteOrderMark(bytes: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? bytes.subarray(length) : bytes;
}

/** The text of a body, a byte order mark included. @throws BadJson for broken UTF-8. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new BadJson('The body is not valid UTF-8.');
  return bytes.toString();
}

async function readDeclared(c: Context): Promise<Buffer> {
  return Buffer.from(
    await c.req.arrayBuffer().catch(() => {
      throw cutOff();
    }),
  );
}

/** The caller has gone, or was cut off: what came of its body is not its body. */
export function cutOff(): HttpError {
  return new HttpError(400, 'The body was cut off.');
}

async function readChunked(c: Context, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (c.req.header('transfer-encoding') !== undefined && c.req.raw.body) {
    // Read to its end in any case: an answer before that would not reach whoever is still sending.
    const keep = async (body: ReadableStream<Uint8Array>) => {
      for await (const chunk of body) {
        length += chunk.length;
        if (length <= limit) chunks.push(chunk);
      }
    };
    await keep(c.req.raw.body).catch(() => {
      throw cutOff();
    });
    if (length > limit) throw tooLarge(limit);
  }
  return Buffer.concat(chunks);
}

/** The answer to a body of more bytes than `limit`. */
export function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit / 1024} KiB.`);
}

/**
 * A JSON object from the request's body; an empty body is `{}` (spec/api#bodies).
 * @throws BadJson when it is not a JSON object; DomainError `invalid` for a NUL or a lone surrogate in any string.
 */
export async function readBodyObject(c: Context, limit: number): Promise<Record<string, unknown>> {
  const text = await readBodyText(c, limit);
  if (text === undefined) return {};
  assertDepth(text);
  assertFewValues(text);
  const value = parseExactJson(text);
  if (!isFields(value)) {
    throw new BadJson('The body must be a JSON object.');
  }
  const bad = new BadFields();
  addBadStrings(bad, value, []);
  if (!bad.isEmpty) throw invalid(bad.messages);
  return value;
}

/** What is said of text, and of a name, that is not {@link isStorable}. */
export const NOT_STORABLE = 'Must not contain NUL or a lone surrogate.';
export const NOT_STORABLE_NAME = 'Must not be named with NUL or a lone surrogate.';

/** Adds the fields that hold, or are named by, text that cannot be stored verbatim (spec/api#bodies: lone surrogates and NUL). */
function addBadStrings(bad: BadFields, value: unknown, path: readonly string[]): void {
  if (bad.isFull) return;
  if (typeof value === 'string') {
    if (!isStorable(value)) bad.add(fieldName(...path), NOT_STORABLE);
    return;
  }
  if (typeof value !== 'object' || value === null || !isContainer(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    if (!isStorable(key)) bad.add(fieldName(...at), NOT_STORABLE_NAME);
    addBadStrings(bad, inner, at);
  }
}

/** Whether text can be stored verbatim in every store: no NUL, no lone surrogate (spec/api#bodies). */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isContainer(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
