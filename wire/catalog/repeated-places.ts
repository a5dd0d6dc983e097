/** The places of texts that stand before them already; what is no text is another's to refuse. */
export function repeatedPlaces(values: readonly unknown[]): number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, i) => {
    if (typeof value !== 'string') return [];
    if (seen.has(value)) return [i];
    seen.add(value);
    return [];
  });
}
