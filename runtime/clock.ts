import type { Instant } from '../core/instants.ts';

/** Where the time comes from; passed in, never reached for (architecture#habits). */
export type Clock = { now(): Instant };

/** The machine's clock: the only caller of `Date.now`. */
export const systemClock: Clock = { now: () => Date.now() };
