/** Runs work, in turn; `isFull`: what comes now would have to wait. */
export type InTurn = { <T>(work: () => Promise<T>): Promise<T>; isFull(): boolean };

/** Runs what it is given, at most `limit` of it at once; the rest waits its turn, in order. */
export function atMost(limit: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  const inTurn = async <T>(work: () => Promise<T>) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The place is passed on, so that nobody who comes now takes it before those who wait.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
  return Object.assign(inTurn, { isFull: () => running >= limit });
}
