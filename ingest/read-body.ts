import type { IncomingMessage } from 'node:http';
import { afterByteOrderMark, assertJsonType, cutOff, textOf, tooLarge } from '../runtime/http/body.ts';
import { type ContentEncoding, decompress, encodingOf } from './content-encoding.ts';

/** `POST /api/track` (spec/api#bodies). */
export const MAX_BODY_BYTES = 64 * 1024;

/** A body of more is put together in one piece while it comes. */
const KEPT_IN_CHUNKS = 256 * 1024;

/**
 * The body of a request as text; an empty one is `{}` (spec/api#bodies).
 * @throws as {@link readBody}; HttpError 400 for a content type that is not JSON; BadJson for broken UTF-8.
 */
export async function readTrackBody(request: IncomingMessage): Promise<string> {
  const bytes = afterByteOrderMark(await readBody(request, MAX_BODY_BYTES));
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
  const sent = sentBody(request, limit);
  const bytes = await readBytes(request, sent);
  return sent.encoding === 'identity' ? bytes : decompress(bytes, sent.encoding, limit);
}

/** A body that cannot be compressed grows by less, and one that can may come as many small pieces. */
const COMPRESSED_MORE = 64 * 1024;

/** A body as it is sent: `length`, if it says so, is of at most `most` bytes, which come to at most `limit`. */
export type SentBody = { encoding: ContentEncoding; length: number | undefined; most: number; limit: number };

/** What a request says of its body. @throws HttpError 415 for an encoding that is not taken, 413 for one that cannot be within `limit` bytes */
export function sentBody({ headers }: IncomingMessage, limit: number): SentBody {
  const encoding = encodingOf(headers['content-encoding']);
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const most = encoding === 'identity' ? limit : limit + COMPRESSED_MORE;
  if (length !== undefined && length > most) throw tooLarge(limit);
  return { encoding, length, most, limit };
}

/** A body as it comes. @throws HttpError 413 above as many bytes as it may have, 400 where it is cut off. */
export function readBytes(request: IncomingMessage, { length: declared = 0, most, limit }: SentBody): Promise<Buffer> {
  // The caller may have gone before anybody listened.
  if (request.destroyed && !request.readableEnded) return Promise.reject(cutOff());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    // A large one is put together as it comes, and never there twice.
    const whole = declared > KEPT_IN_CHUNKS ? Buffer.allocUnsafeSlow(declared) : undefined;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      if (whole) chunk.copy(whole, length);
      length += chunk.length;
      if (length > most) reject(tooLarge(limit));
      else if (!whole) chunks.push(chunk);
    });
    request.on('end', () => resolve(whole ?? (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))));
    // The caller has gone: whatever is answered, nobody reads it.
    request.on('error', () => reject(cutOff()));
  });
}
