import type { Clock } from '../clock.ts';
import type { AccountLimits } from '../variables/limit-variables.ts';
import { HttpError } from './errors.ts';

/** What an answer tells of a limit, by the IETF draft of `RateLimit` header fields; empty where there is none. */
export type RateLimitHeaders = Record<string, string>;

/** Whose requests are counted: those of a key (`rateLimit` requests per second, null: no limit), and of its account. */
type Requester = { keyId: string; accountId: string; rateLimit: number | null };

/**
 * Takes one request from the allowances of a key and of its account, and gives the headers that tell what is left of each.
 * @throws HttpError 429 with `Retry-After` where nothing is left of one.
 */
export type TakeRequest = (caller: Requester) => RateLimitHeaders;

/** A second later at least one request is allowed again, whatever the limit: limits are per second and at least 1. */
const RETRY_AFTER_SECONDS = '1';

/** Keys and accounts whose allowance is remembered before the full ones are forgotten. */
const MANY_BUCKETS = 10_000;

type Bucket = { left: number; at: number };

/** A limit that holds for a request: of its key, which the tenant sets, or of its account, which the operator sets. */
type Limit = { policy: 'default' | 'account'; of: string; perSecond: number };

const NO_HEADERS: RateLimitHeaders = {};

/**
 * Counts the requests of this process by key and by account (spec/api#rate-limits): a bucket holds as many requests as the limit
 * allows in a second, and is filled again evenly. A new limit holds from the next request on.
 */
export function createRateLimiter(
  clock: Clock,
  { requestsPerSecond }: Pick<AccountLimits, 'requestsPerSecond'> = { requestsPerSecond: undefined },
): TakeRequest {
  const buckets = new Map<string, Bucket>();

  function bucketAt({ of, perSecond }: Limit, now: number): Bucket {
    const bucket = buckets.get(of);
    if (bucket) {
      bucket.left = Math.min(perSecond, bucket.left + (perSecond * Math.max(0, now - bucket.at)) / 1_000);
      bucket.at = now;
      return bucket;
    }
    if (buckets.size >= MANY_BUCKETS) for (const [one, { at }] of buckets) if (now - at >= 1_000) buckets.delete(one);
    const full = { left: perSecond, at: now };
    buckets.set(of, full);
    return full;
  }

  return ({ keyId, accountId, rateLimit }) => {
    if (rateLimit === null && requestsPerSecond === undefined) return NO_HEADERS;
    const limits: Limit[] = [];
    if (rateLimit !== null) limits.push({ policy: 'default', of: keyId, perSecond: rateLimit });
    if (requestsPerSecond !== undefined)
      limits.push({ policy: 'account', of: accountId, perSecond: requestsPerSecond });
    const now = clock.now();
    const taken = limits.map((limit) => ({ ...limit, bucket: bucketAt(limit, now) }));
    const exceeded = taken.find(({ bucket }) => bucket.left < 1);
    if (!exceeded) for (const { bucket } of taken) bucket.left -= 1;
    const headers = {
      'RateLimit-Policy': taken.map(({ policy, perSecond }) => `"${policy}";q=${perSecond};w=1`).join(', '),
      RateLimit: taken.map(({ policy, bucket }) => `"${policy}";r=${Math.floor(bucket.left)};t=1`).join(', '),
    };
    if (exceeded) throw exceededError(exceeded, headers);
    return headers;
  };
}

function exceededError({ policy, perSecond }: Limit, headers: RateLimitHeaders): HttpError {
  const whose = policy === 'account' ? ' of all keys of this account' : '';
  return new HttpError(429, `The rate limit of ${perSecond} requests per second${whose} is exceeded.`, {
    'Retry-After': RETRY_AFTER_SECONDS,
    ...headers,
  });
}
