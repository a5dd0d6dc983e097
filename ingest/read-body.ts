import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BadJson } from '../runtime/exact-json.ts';
import { HttpError } from '../runtime/http/errors.ts';

/** `POST /api/track` (contract 1). */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * The body of a request as text; an empty one is `{}` (contract 1).
 * @throws HttpError 413 above 64 KiB, 400 for a content type that is not JSON; BadJson for broken UTF-8.
 */
export async function readTrackBody(request: IncomingMessage): Promise<string> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return '{}';
  if (!isJsonType(request.headers['content-type']))
    throw new HttpError(400, 'The content type must be application/json.');
  if (!isUtf8(bytes)) throw new BadJson('The body is not valid UTF-8.');
  return bytes.toString();
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // The caller has gone: whatever is answered, nobody reads it.
    request.on('error', () => reject(new HttpError(400, 'The body was cut off.')));
  });
}

function isJsonType(header: string | undefined): boolean {
  return header === 'application/json' || header?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

function tooLarge() {
  return new HttpError(413, `The body is larger than ${MAX_BODY_BYTES / 1024} KiB.`);
}
