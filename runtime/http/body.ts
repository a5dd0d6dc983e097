import type { Context } from 'hono';
import { invalid } from '../../billing/domain-error.ts';
import { BadJson, parseExactJson } from '../exact-json.ts';
import { HttpError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The request's body as text, or undefined where there is none. Keeps at most `limit` bytes, of chunked bodies too.
 * @throws HttpError 413 above the limit, 400 for a content type that is not JSON; BadJson for broken UTF-8.
 */
export async function readBodyText(c: Context, limit: number): Promise<string | undefined> {
  const bytes = await readBytes(c, limit);
  if (bytes.length === 0) return undefined;
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new HttpError(400, 'The content type must be application/json.');
  return textOf(bytes);
}

/** As {@link readBodyText}, of any content type: for bodies that are signed as they are. */
export async function readRawBody(c: Context, limit: number): Promise<string> {
  return textOf(await readBytes(c, limit));
}

async function readBytes(c: Context, limit: number): Promise<Uint8Array> {
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > limit) throw tooLarge(limit);
  return declared > 0 ? readDeclared(c) : readChunked(c, limit);
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadJson('The body is not valid UTF-8.');
  }
}

async function readDeclared(c: Context): Promise<Uint8Array> {
  return new Uint8Array(await c.req.arrayBuffer().catch(cutOff));
}

/** The caller has gone, or was cut off: what came of its body is not its body. */
function cutOff(): never {
  throw new HttpError(400, 'The body was cut off.');
}

async function readChunked(c: Context, limit: number): Promise<Uint8Array> {
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
    await keep(c.req.raw.body).catch(cutOff);
    if (length > limit) throw tooLarge(limit);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number) {
  return new HttpError(413, `The body is larger than ${limit / 1024} KiB.`);
}

/**
 * A JSON object from the request's body; an empty body is `{}` (contract 1).
 * @throws BadJson when it is not a JSON object; DomainError `invalid` for a NUL or a lone surrogate in any string.
 */
export async function readBodyObject(c: Context, limit: number): Promise<Record<string, unknown>> {
  const text = await readBodyText(c, limit);
  if (text === undefined) return {};
  const value = parseExactJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isContainer(value)) {
    throw new BadJson('The body must be a JSON object.');
  }
  const fields = badStrings(value, '');
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return value as Record<string, unknown>;
}

/** Fields that hold, or are named by, text that cannot be stored verbatim (contract 1: lone surrogates and NUL). */
function badStrings(value: unknown, path: string): Record<string, string[]> {
  if (typeof value === 'string')
    return isStorable(value) ? {} : { [path]: ['Must not contain NUL or a lone surrogate.'] };
  if (typeof value !== 'object' || value === null || !isContainer(value)) return {};
  const fields = Object.create(null) as Record<string, string[]>;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (!isStorable(key)) fields[at] = ['Must not be named with NUL or a lone surrogate.'];
    Object.assign(fields, badStrings(inner, at));
  }
  return fields;
}

/** Whether text can be stored verbatim in every store: no NUL, no lone surrogate (contract 1). */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isContainer(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
