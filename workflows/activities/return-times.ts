/** Assumed of an account whose first activity has not ended yet. */
const FIRST_GUESS_MS = 1_000;
/** Weight of the newest activity in the average. */
const NEWEST = 0.2;
/** An activity is put off for at least this long: a round through Temporal. */
const LEAST_MS = 250;
/** No activity is put off for longer, in case slots fall free sooner than they did. */
const MOST_MS = 5 * 60_000;

type Account = { heldMs: number; nextAt: number };

/** Multiples of it, modulo 1, lie evenly between 0 and 1, however many there are. */
const GOLDEN = 0.618_033_988_75;

/**
 * Says when activities that found no slot come again: one behind the other, about as fast as slots of their account fall free. If
 * all came again soon, thousands of them would keep Temporal busy for nothing. All times are in milliseconds of one clock.
 */
export class ReturnTimes {
  readonly #ofOne: number;
  readonly #accounts = new Map<string, Account>();
  /** Activities that were put off for longest. */
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
    // Those that were put off for longest spread over half of it, or they would all come at one moment.
    if (!isFar) return wanted - now;
    this.#farCount++;
    return MOST_MS * (1 - ((this.#farCount * GOLDEN) % 1) / 2);
  }
}
