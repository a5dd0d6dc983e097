import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onCluster } from '../../sql/clickhouse/on-cluster.ts';

const FOLDER = join(import.meta.dirname, '../../sql/migrations/clickhouse');
const migrations = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));

/** The statements of a migration, as sql/migrate.ts parts them. */
function statementsOf(name: string): string[] {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return text.split(/;\s*$/m).filter((part) => part.trim() !== '');
}

test('the first migration as it runs on a cluster', () => {
  const statements = statementsOf('0001_usage.sql').map((statement) => onCluster(statement, 'main').trim());
  expect(statements).toEqual([
    `CREATE TABLE IF NOT EXISTS usage_events ON CLUSTER 'main' (
  account_id String,
  customer_id String,
  event_name String,
  time_created DateTime64(3, 'UTC'),
  idempotency_id String,
  numbers Map(String, Decimal(38, 18)),
  strings Map(String, String),
  booleans Map(String, Bool),
  fingerprint UInt128,
  position UInt64,
  epoch UInt32,
  received_at DateTime64(3, 'UTC'),
  INDEX position_range position TYPE minmax GRANULARITY 1,
  INDEX fingerprint_bloom fingerprint TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYYYYMM(time_created)
ORDER BY (account_id, customer_id, event_name, time_created)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 31536000, min_compressed_bytes_to_fsync_after_fetch = 1, fsync_after_insert = 1, fsync_part_directory = 1`,
    `CREATE TABLE IF NOT EXISTS usage_ids ON CLUSTER 'main' (
  fingerprint UInt128,
  position UInt64,
  received_at DateTime64(3, 'UTC')
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY fingerprint
SETTINGS index_granularity = 256, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 31536000, min_compressed_bytes_to_fsync_after_fetch = 1, fsync_after_insert = 1, fsync_part_directory = 1`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS usage_ids_filler ON CLUSTER 'main' TO usage_ids AS
SELECT fingerprint, position, received_at FROM usage_events`,
  ]);
});

const REPLICA = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";

test.each([
  ['CREATE DATABASE IF NOT EXISTS meterbook', "CREATE DATABASE IF NOT EXISTS meterbook ON CLUSTER 'c'"],
  [
    'CREATE TABLE IF NOT EXISTS t (name String) ENGINE = MergeTree ORDER BY name',
    `CREATE TABLE IF NOT EXISTS t ON CLUSTER 'c' (name String) ENGINE = ReplicatedMergeTree(${REPLICA}) ORDER BY name`,
  ],
  [
    'CREATE TABLE t (v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY (v)',
    `CREATE TABLE t ON CLUSTER 'c' (v UInt8) ENGINE = ReplicatedReplacingMergeTree(${REPLICA}, v) ORDER BY (v)`,
  ],
  [
    'CREATE TABLE t (v UInt8) ENGINE = AggregatingMergeTree() ORDER BY (v)',
    `CREATE TABLE t ON CLUSTER 'c' (v UInt8) ENGINE = ReplicatedAggregatingMergeTree(${REPLICA}) ORDER BY (v)`,
  ],
  ['ALTER TABLE t ADD COLUMN IF NOT EXISTS n UInt8', "ALTER TABLE t ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS n UInt8"],
  ['DROP TABLE IF EXISTS t', "DROP TABLE IF EXISTS t ON CLUSTER 'c'"],
  ['DROP VIEW IF EXISTS t', "DROP VIEW IF EXISTS t ON CLUSTER 'c'"],
  ['RENAME TABLE a TO b', "RENAME TABLE a TO b ON CLUSTER 'c'"],
  ['EXCHANGE TABLES a AND b', "EXCHANGE TABLES a AND b ON CLUSTER 'c'"],
  ['-- why\nINSERT INTO t SELECT * FROM u', 'INSERT INTO t SELECT * FROM u'],
])('%s', (statement, expected) => {
  expect(onCluster(statement, 'c')).toBe(expected);
});

test.each([
  'RENAME TABLE a TO b, c TO d',
  'CREATE OR REPLACE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n',
  'TRUNCATE TABLE t',
])('what it does not know is refused: %s', (statement) => {
  expect(() => onCluster(statement, 'c')).toThrow('Not known how to run this on a cluster');
});

describe('every migration', () => {
  test.each(migrations)('%s defines nothing on one server alone', (name) => {
    for (const statement of statementsOf(name)) {
      const text = onCluster(statement, '{cluster}');
      expect(text).not.toMatch(/ENGINE\s*=\s*(?!Replicated)\w*MergeTree|non_replicated/i);
      if (/^\s*(CREATE|ALTER|DROP)/i.test(text)) expect(text).toContain("ON CLUSTER '{cluster}'");
    }
  });
});
