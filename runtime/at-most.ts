/** Runs what it is given, at most `limit` of it at once; the rest waits its turn, in order. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody who comes now takes it before those who wait.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
