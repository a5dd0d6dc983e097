import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../runtime/http/errors.ts';
import { decompress } from '../content-encoding.ts';
import { readBytes, sentBody } from '../read-body.ts';
import type { BodyRoom, Place } from './body-room.ts';

/** A body of several events, decompressed (spec/api#bodies). */
export const MAX_BODY_BYTES = 8 * 2 ** 20;

/** What a compressed body is taken to come to at first, as a multiple of its length: lines of events come to 5 to 20. */
const EXPECTED_RATIO = 32;

/**
 * A body, the room that it has until it is answered, and when its end came at the earliest, by `performance.now()`: it may have been there all
 * the while that it waited for room.
 */
export type Received = { body: Buffer; place: Place; endedAt: number };

/**
 * Receives the body of a request, once there is room for it: what has not been read waits with its sender. A compressed one
 * has room for what it probably comes to; one that comes to more waits again, as it came, which is little.
 * @throws as readBody; DomainError `unavailable` (503) where there is no room in time.
 */
export async function receiveBody(request: IncomingMessage, accountId: string, room: BodyRoom): Promise<Received> {
  const sent = sentBody(request, MAX_BODY_BYTES);
  const { encoding, length = MAX_BODY_BYTES } = sent;
  const expected = encoding === 'identity' ? length : Math.min(MAX_BODY_BYTES, length * EXPECTED_RATIO);
  const askedAt = performance.now();
  let place = await room.enter(accountId, expected);
  const waitedMs = performance.now() - askedAt;
  try {
    const bytes = await readBytes(request, sent);
    const endedAt = performance.now() - waitedMs;
    if (encoding === 'identity') return { body: bytes, place, endedAt };
    const body = await decompress(bytes, encoding, expected).catch(async (error) => {
      const isMore = error instanceof HttpError && error.status === 413 && expected < MAX_BODY_BYTES;
      if (!isMore) throw error;
      place.leave();
      place = { leave: () => {} };
      place = await room.enter(accountId, MAX_BODY_BYTES);
      return decompress(bytes, encoding, MAX_BODY_BYTES);
    });
    return { body, place, endedAt };
  } catch (error) {
    place.leave();
    throw error;
  }
}
