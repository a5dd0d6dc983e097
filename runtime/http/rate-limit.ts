import type { Clock } from '../clock.ts';
import { HttpError } from './errors.ts';

/** What an answer tells of a limit, by the IETF draft of `RateLimit` header fields; empty where there is none. */
export type RateLimitHeaders = Record<string, string>;

/**
 * Takes one request from a key's allowance (`rateLimit` requests per second, null: no limit) and gives the headers that tell what is left.
 * @throws HttpError 429 with `Retry-After` where nothing is left.
 */
export type TakeRequest = (caller: { keyId: string; rateLimit: number | null }) => RateLimitHeaders;

/** A second later at least one request is allowed again, whatever the limit: limits are per second and at least 1. */
const RETRY_AFTER_SECONDS = '1';

/** Keys whose allowance is remembered before the full ones are forgotten. */
const MANY_KEYS = 10_000;

type Bucket = { left: number; at: number };

const NO_HEADERS: RateLimitHeaders = {};

/**
 * Counts the requests of this process by key (spec/api#rate-limits): a bucket that holds as many requests as the limit allows in a
 * second, and is filled again evenly. A new limit holds from the next request on.
 */
export function createRateLimiter(clock: Clock): TakeRequest {
  const buckets = new Map<string, Bucket>();

  function bucketAt(keyId: string, limit: number, now: number): Bucket {
    const bucket = buckets.get(keyId);
    if (bucket) {
      bucket.left = Math.min(limit, bucket.left + (limit * Math.max(0, now - bucket.at)) / 1_000);
      bucket.at = now;
      return bucket;
    }
    if (buckets.size >= MANY_KEYS) for (const [key, { at }] of buckets) if (now - at >= 1_000) buckets.delete(key);
    const full = { left: limit, at: now };
    buckets.set(keyId, full);
    return full;
  }

  return ({ keyId, rateLimit }) => {
    if (rateLimit === null) return NO_HEADERS;
    const bucket = bucketAt(keyId, rateLimit, clock.now());
    const allowed = bucket.left >= 1;
    if (allowed) bucket.left -= 1;
    const headers = {
      'RateLimit-Policy': `"default";q=${rateLimit};w=1`,
      RateLimit: `"default";r=${Math.floor(bucket.left)};t=1`,
    };
    if (allowed) return headers;
    throw new HttpError(429, `The rate limit of ${rateLimit} requests per second is exceeded.`, {
      'Retry-After': RETRY_AFTER_SECONDS,
      ...headers,
    });
  };
}
