/** Metrics and the log name at most this many parties of each share. */
const NAMED = 10;
/** Callers without a key are as many parties as they have addresses. */
const REMEMBERED = 1_000;
const REMEMBERED_MS = 60_000;

/** Returns the ten parties with most, and how much it is. */
export function mostOf(parties: Iterable<[party: string, amount: number]>): [party: string, amount: number][] {
  return [...parties].sort(([, a], [, b]) => b - a).slice(0, NAMED);
}

/** The most that parties of a share were held back with, each for a minute. */
export class PartiesHeldBack {
  readonly #parties = new Map<string, { work: number; at: number }>();

  get size(): number {
    return this.#parties.size;
  }

  /** Adds what was held back in one look at the share, at `now` in milliseconds. */
  add(heldBack: ReadonlyMap<string, number>, now: number): void {
    this.#forget(now);
    for (const [party, work] of heldBack) {
      const known = this.#parties.get(party);
      if (known === undefined ? this.#parties.size < REMEMBERED : work >= known.work) {
        this.#parties.set(party, { work, at: now });
      }
    }
  }

  /** Returns the ten parties with most, and how much it was. */
  most(now: number): [party: string, work: number][] {
    this.#forget(now);
    return mostOf([...this.#parties].map(([party, { work }]) => [party, work]));
  }

  #forget(now: number): void {
    for (const [party, { at }] of this.#parties) if (at <= now - REMEMBERED_MS) this.#parties.delete(party);
  }
}
