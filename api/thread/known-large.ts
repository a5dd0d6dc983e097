/** So many are remembered; the oldest ones are forgotten. */
const MOST = 1_000;
/** Usage begins anew with each period: what was large may be small again. */
const KEPT_MS = 10 * 60_000;

/** Whose answers turned out to be too large for the event loop: the next ones begin in the thread. */
export type KnownLarge = { has(key: string): boolean; note(key: string): void };

/** Remembers keys for ten minutes; `now` tells the time in milliseconds. */
export function rememberLarge(now = () => performance.now()): KnownLarge {
  const until = new Map<string, number>();
  return {
    has: (key) => (until.get(key) ?? 0) > now(),
    note: (key) => {
      until.delete(key);
      until.set(key, now() + KEPT_MS);
      const [oldest] = until.keys();
      if (until.size > MOST && oldest !== undefined) until.delete(oldest);
    },
  };
}
