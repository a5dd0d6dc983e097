import type { IncomingMessage } from 'node:http';
import { assertJsonType, cutOff, textOf, tooLarge } from '../runtime/http/body.ts';
import { decompress, encodingOf } from './content-encoding.ts';

/** `POST /api/track` (spec/api#bodies). */
export const MAX_BODY_BYTES = 64 * 1024;

/** A body that cannot be compressed grows by less, and one that can may come as many small pieces. */
const COMPRESSED_MORE = 64 * 1024;

/**
 * The body of a request as text; an empty one is `{}` (spec/api#bodies).
 * @throws as {@link readBody}; HttpError 400 for a content type that is not JSON; BadJson for broken UTF-8.
 */
export async function readTrackBody(request: IncomingMessage): Promise<string> {
  const bytes = await readBody(request, MAX_BODY_BYTES);
  if (bytes.length === 0) return '{}';
  assertJsonType(request.headers['content-type']);
  return textOf(bytes);
}

/**
 * The body of a request, decompressed.
 * @throws HttpError 415 for an encoding that is not taken; 413 above `limit` bytes, decompressed, of which no more are read; 400 for
 * what does not decompress.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = encodingOf(request.headers['content-encoding']);
  if (encoding === 'identity') return readBytes(request, limit, limit);
  return decompress(await readBytes(request, limit, limit + COMPRESSED_MORE), encoding, limit);
}

/** What comes of a body, of at most `most` bytes. */
function readBytes(request: IncomingMessage, limit: number, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) reject(tooLarge(limit));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // The caller has gone: whatever is answered, nobody reads it.
    request.on('error', () => reject(cutOff()));
  });
}
