import { constants, gunzip, zstdDecompress } from 'node:zlib';
import { tooLarge } from '../runtime/http/body.ts';
import { HttpError } from '../runtime/http/errors.ts';

/** How a body of events is compressed. */
export type ContentEncoding = 'identity' | 'gzip' | 'zstd';

const ENCODINGS = new Map<string, ContentEncoding>([
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
]);

/** What a compressor that keeps to RFC 9659 needs at most: a frame may ask for 128 MiB otherwise. */
const ZSTD_WINDOW_LOG = 23;
/** Each costs a call into the runtime, however little is in it. */
const MAX_ZSTD_FRAMES = 1_000;

/** @throws HttpError 415 for an encoding that is not taken, or several on top of each other. */
export function encodingOf(header: string | undefined): ContentEncoding {
  const encoding = header === undefined ? 'identity' : ENCODINGS.get(header.trim().toLowerCase());
  if (encoding !== undefined) return encoding;
  throw new HttpError(415, 'The Content-Encoding must be gzip or zstd, or be left out.', {
    'Accept-Encoding': 'gzip, zstd',
  });
}

/**
 * A compressed body as it was before, all of its members or frames one after another (RFC 1952, RFC 8878). Works beside the event loop.
 * @throws HttpError 413 above `limit` bytes, which it makes no more of; 400 for what is broken, cut off, or has something else behind it.
 */
export async function decompress(bytes: Buffer, encoding: 'gzip' | 'zstd', limit: number): Promise<Buffer> {
  try {
    return await (encoding === 'gzip' ? gunzipped(bytes, limit) : unzstd(bytes, limit));
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw broken(encoding);
  }
}

function gunzipped(bytes: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: limit }, (error, whole) => (error ? reject(error) : resolve(whole)));
  });
}

/** One frame after another: Node stops at the end of each. */
async function unzstd(bytes: Buffer, limit: number): Promise<Buffer> {
  const frames: Buffer[] = [];
  let [at, left] = [0, limit];
  do {
    if (frames.length === MAX_ZSTD_FRAMES) throw broken('zstd');
    const { buffer, engine } = await firstFrame(bytes.subarray(at), left);
    frames.push(buffer);
    at += engine.bytesWritten;
    left -= buffer.length;
    if (left < 0) throw tooLarge(limit);
  } while (at < bytes.length);
  return Buffer.concat(frames);
}

/** What zlib answers where it is asked for `info`. `bytesWritten`: how much of what it was given it has used. */
type Frame = { buffer: Buffer; engine: { bytesWritten: number } };

function firstFrame(bytes: Buffer, limit: number): Promise<Frame> {
  const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };
  // Node takes no limit of nothing: the caller looks for the byte too many.
  const options = { params, info: true, maxOutputLength: Math.max(1, limit) };
  return new Promise((resolve, reject) => {
    // Its type does not know of `info`.
    zstdDecompress(bytes, options, (error, frame: unknown) => (error ? reject(error) : resolve(frame as Frame)));
  });
}

function broken(encoding: string): HttpError {
  return new HttpError(400, `The body is not valid ${encoding}.`);
}
