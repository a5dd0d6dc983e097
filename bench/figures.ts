/** The middle of an odd number of values, the upper middle of an even one. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value at or below which `percent` of the values lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** A figure with three significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** What every bench ends with: its table, and all of it as one line of JSON. */
export function report(bench: string, rows: Record<string, unknown>[], details: Record<string, unknown> = {}): void {
  console.table(rows);
  console.log(JSON.stringify({ bench, ...details, rows }));
}
