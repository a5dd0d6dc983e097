import type { ServerResponse } from 'node:http';

/** Parties whose requests a fake leaves unanswered. */
export class Unanswered {
  readonly #mute = new Map<string, { open: number; most: number }>();

  /** Leaves requests for a party unanswered from now on. */
  mute(party: string): void {
    this.#mute.set(party, { open: 0, most: 0 });
  }

  /** Ends that, and returns how many requests were under way at once, at most. */
  unmute(party: string): number {
    const { most = 0 } = this.#mute.get(party) ?? {};
    this.#mute.delete(party);
    return most;
  }

  /** Returns how many requests of a party are under way. */
  open(party: string): number {
    return this.#mute.get(party)?.open ?? 0;
  }

  /** Returns true if a request for the party is left unanswered. */
  takes(party: string, response: ServerResponse): boolean {
    const counts = this.#mute.get(party);
    if (!counts) return false;
    counts.open++;
    counts.most = Math.max(counts.most, counts.open);
    response.on('close', () => counts.open--);
    return true;
  }
}
