/** The most keys that are remembered. A further key replaces the oldest one. */
const MOST = 1_000;
/** How long a key is remembered. An answer may become small again, because usage starts from zero in each period. */
const KEPT_MS = 10 * 60_000;

/** The keys of answers that were too large for the event loop. The next answer of such a key is made in the thread. */
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
