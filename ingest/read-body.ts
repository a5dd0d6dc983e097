import type { IncomingMessage } from 'node:http';
import { assertJsonType, assertPlainEncoding, cutOff, textOf, tooLarge } from '../runtime/http/body.ts';

/** `POST /api/track` (spec/api#bodies). */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * The body of a request as text; an empty one is `{}` (spec/api#bodies).
 * @throws HttpError 415 for an encoded body, 413 above 64 KiB, 400 for a content type that is not JSON; BadJson for broken UTF-8.
 */
export async function readTrackBody(request: IncomingMessage): Promise<string> {
  assertPlainEncoding(request.headers['content-encoding']);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return '{}';
  assertJsonType(request.headers['content-type']);
  return textOf(bytes);
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.reject(tooLarge(MAX_BODY_BYTES));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) reject(tooLarge(MAX_BODY_BYTES));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // The caller has gone: whatever is answered, nobody reads it.
    request.on('error', () => reject(cutOff()));
  });
}
