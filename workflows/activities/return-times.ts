/** The duration that is assumed until the first activity of an account has ended. */
const FIRST_GUESS_MS = 1_000;
/** Weight of the newest activity in the average. */
const NEWEST = 0.2;
/** An activity is put off for at least this long: a round through Temporal. */
const LEAST_MS = 250;
/** An activity is put off for at most this long, because slots may become free sooner than predicted. */
const MOST_MS = 5 * 60_000;

type Account = { heldMs: number; nextAt: number };

/** The multiples of this number, modulo 1, are spread evenly between 0 and 1. */
const GOLDEN = 0.618_033_988_75;

/**
 * Decides when activities that found no slot are retried: one after another, about as fast as slots of their account become free.
 * Otherwise thousands of retries would load Temporal for nothing. All times are milliseconds of one clock.
 */
export class ReturnTimes {
  readonly #ofOne: number;
  readonly #accounts = new Map<string, Account>();
  /** The number of activities that got the longest delay. */
  #farCount = 0;

  /** `ofOne`: slots that an account has at once. */
  constructor(ofOne: number) {
    this.#ofOne = ofOne;
  }

  /** Notes that an activity of the account held a slot from `begun` until `now`. */
  end(accountId: string, begun: number, now: number): void {
    const known = this.#accounts.get(accountId);
    if (known === undefined) return;
    if (known.nextAt <= now - MOST_MS) this.#accounts.delete(accountId);
    known.heldMs += NEWEST * (now - begun - known.heldMs);
  }

  /** Returns how long an activity of the account that finds no slot waits. */
  pauseMs(accountId: string, now: number): number {
    const account = this.#accounts.get(accountId) ?? { heldMs: FIRST_GUESS_MS, nextAt: 0 };
    const wanted = Math.max(now + LEAST_MS, account.nextAt + account.heldMs / this.#ofOne);
    const isFar = wanted > now + MOST_MS;
    account.nextAt = isFar ? now + MOST_MS : wanted;
    this.#accounts.set(accountId, account);
    if (!isFar) return wanted - now;
    // Spread over half of the longest delay, so that they are not all retried at the same moment.
    this.#farCount++;
    return MOST_MS * (1 - ((this.#farCount * GOLDEN) % 1) / 2);
  }
}
