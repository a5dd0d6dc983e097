import type { Instant } from '../billing/instants.ts';

/** Where the time comes from; passed in, never reached for (design 9). */
export type Clock = { now(): Instant };

/** The machine's clock: the only caller of `Date.now`. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands at `instant`: a test clock's frozen time (contract 14). */
export function frozenClock(instant: Instant): Clock {
  return { now: () => instant };
}
