import { describe, expect, test } from 'vitest';
import { metricCreate } from '../../wire/metrics.ts';

const KIB_16 = 16 * 1024;

/** A categorical filter that takes `bytes` as JSON in its list: of several values, since each has at most 256 characters. */
function filterOf(bytes: number) {
  const filter = { property_name: 'region', operator: 'isin', comparison_value: [] as string[] };
  const left = () => bytes - JSON.stringify([filter]).length;
  while (left() > 0) {
    const quotes = filter.comparison_value.length === 0 ? 2 : 3;
    // What is left after this value is none, or enough for another one.
    const length = left() <= 200 + quotes ? left() - quotes : 150;
    filter.comparison_value.push(`${'x'.repeat(length - 6)}${String(filter.comparison_value.length).padStart(6, '0')}`);
  }
  return filter;
}

const fieldsOf = (filters: object) =>
  metricCreate
    .safeParse({ metric_name: 'm', aggregation_type: 'count', ...filters })
    .error?.issues.map(({ path }) => path[0]) ?? [];

describe("a metric's filters together take at most 16 KiB (spec/metrics#filters)", () => {
  test('exactly at the bound, and one byte above it', () => {
    // The other list takes two bytes: [].
    const most = [filterOf(KIB_16 - 2)];
    expect(JSON.stringify(most)).toHaveLength(KIB_16 - 2);
    expect(fieldsOf({ categorical_filters: most })).toEqual([]);
    expect(fieldsOf({ categorical_filters: [filterOf(KIB_16 - 1)] })).toEqual([
      'numeric_filters',
      'categorical_filters',
    ]);
    expect(fieldsOf({ categorical_filters: [filterOf(KIB_16 + 1)] })).toEqual(['categorical_filters']);
  });
});
