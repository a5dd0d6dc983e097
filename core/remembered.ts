/** Of a hundred bytes each; then they are found anew. */
const MAX_REMEMBERED = 10_000;

/**
 * `find`, whose answer by the same texts and numbers is always the same, with its answers kept for the next time: a customer's
 * thousand subscriptions begin and close on a few dozen days, and what is asked of a day or a time zone is slow to tell.
 */
export function remembered<Of extends (string | number)[], V>(find: (...of: Of) => V): (...of: Of) => V {
  const known = new Map<string | number | undefined, V>();
  return (...of) => {
    const key = of.length === 1 ? of[0] : of.join(' ');
    const value = known.get(key) ?? find(...of);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, value);
    return value;
  };
}
