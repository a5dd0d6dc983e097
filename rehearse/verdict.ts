/** One thing that was looked at: what was seen, and what it may be at most. Both are seconds or numbers, as `unit` says. */
export type Finding = { what: string; seen: number; bound: number; unit: 's' | '' };

export function isBroken({ seen, bound }: Finding): boolean {
  return !(seen <= bound);
}

/** The findings as lines of a table. */
export function tableOf(findings: readonly Finding[]): string[] {
  const rows = [
    ['what', 'seen', 'at most', ''],
    ...findings.map((one) => [
      one.what,
      shown(one.seen, one.unit),
      shown(one.bound, one.unit),
      isBroken(one) ? 'BROKEN' : 'held',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 1 || column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function shown(value: number, unit: Finding['unit']): string {
  return unit === 's' ? `${value.toFixed(1)} s` : String(value);
}
