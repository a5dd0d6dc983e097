import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProcessConfig } from '../../runtime/config.ts';

describe('AGGREGATOR_PARTITIONS', () => {
  test.each([
    ['0', [0]],
    ['0,2', [0, 2]],
    ['0-3', [0, 1, 2, 3]],
    ['8, 0-2,1', [0, 1, 2, 8]],
    ['255', [255]],
  ])('%s', (text, expected) => {
    expect(loadProcessConfig({ AGGREGATOR_PARTITIONS: text }).aggregatorPartitions).toEqual(expected);
  });

  test('absent or empty means all', () => {
    expect(loadProcessConfig({}).aggregatorPartitions).toBeUndefined();
    expect(loadProcessConfig({ AGGREGATOR_PARTITIONS: '' }).aggregatorPartitions).toBeUndefined();
  });

  test.each(['all', '-1', '3-1', '256', '0,,1', '0-', '1.5'])('%s is refused', (text) => {
    expect(() => loadProcessConfig({ AGGREGATOR_PARTITIONS: text })).toThrow('AGGREGATOR_PARTITIONS: must list');
  });
});

describe('CLICKHOUSE_CLUSTER', () => {
  test.each(['main', 'eu-1.prod', '{cluster}'])('%s', (name) => {
    expect(loadProcessConfig({ CLICKHOUSE_CLUSTER: name }).clickhouseCluster).toBe(name);
  });

  test.each(["a' SYNC", 'a b', '{', '`x`'])('%s is refused', (name) => {
    expect(() => loadProcessConfig({ CLICKHOUSE_CLUSTER: name })).toThrow('CLICKHOUSE_CLUSTER');
  });
});

test('REUSE_PORT', () => {
  expect(loadProcessConfig({ REUSE_PORT: 'true' }).reusePort).toBe(true);
  expect(loadProcessConfig({ REUSE_PORT: 'false' }).reusePort).toBe(false);
  expect(loadProcessConfig({}).reusePort).toBe(false);
  expect(() => loadProcessConfig({ REUSE_PORT: 'yes' })).toThrow('REUSE_PORT');
});

test('<NAME>_FILE names a file with the value, and contradicts the value itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'meterbook-config-'));
  const file = join(folder, 'database-url');
  writeFileSync(file, 'postgres://u:secret@db/meterbook\n');
  try {
    const environment = { DATABASE_URL_FILE: file };
    expect(loadProcessConfig(environment).databaseUrl).toBe('postgres://u:secret@db/meterbook');
    expect(loadProcessConfig({ ...environment, DATABASE_URL: '' }).databaseUrl).toBe(
      'postgres://u:secret@db/meterbook',
    );
    expect(() => loadProcessConfig({ ...environment, DATABASE_URL: 'x' })).toThrow(
      'DATABASE_URL and DATABASE_URL_FILE',
    );
    expect(() => loadProcessConfig({ DATABASE_URL_FILE: join(folder, 'none') })).toThrow(/DATABASE_URL_FILE: .*none/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
