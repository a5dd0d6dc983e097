import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { connectStream, type StreamConnection } from '../../stream/connection.ts';
import { loadStreamFill, partFull, purgeUsage } from '../../stream/purge.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { USAGE_STREAM } from '../../stream/subjects.ts';
import { startUsageEngines, type UsageEngines } from '../stack/usage-engines.ts';

const PARTITIONS = 3;
const HOUR = 3_600_000;

let engines: UsageEngines;
let connection: StreamConnection;

beforeAll(async () => {
  engines = await startUsageEngines();
  connection = await connectStream(engines.natsUrl, 'test', createLog('test', 'silent'));
  await ensureStreams(connection.jsm, { usagePartitions: PARTITIONS, usageStreamMaxBytes: 2 ** 20, streamReplicas: 1 });
});
afterAll(async () => {
  await connection.close();
  await engines.stop();
});

const store = async (partition: number, bytes = 10) =>
  (await connection.js.publish(`usage.${partition}`, 'x'.repeat(bytes))).seq;
const firstLeft = async () => (await connection.jsm.streams.info(USAGE_STREAM)).state.first_seq;

test('only what is old and done in every partition goes, and never the last of it', async () => {
  expect(await purgeUsage(connection, [0, 0, 0], systemClock.now())).toBe(0);
  for (const partition of [0, 1, 0, 1, 0, 1]) await store(partition);
  const now = () => systemClock.now() + 1;
  expect(await purgeUsage(connection, [0, 0, 0], now())).toBe(0);
  expect(await purgeUsage(connection, [5, 0, 0], now())).toBe(0);
  // Partition 2 has no message and holds nothing up.
  expect(await purgeUsage(connection, [5, 4, 0], now() - HOUR)).toBe(0);
  expect(await purgeUsage(connection, [3, 6, 0], now())).toBe(2);
  expect(await firstLeft()).toBe(3);
  expect(await purgeUsage(connection, [5, 6, 0], now())).toBe(3);
  expect(await firstLeft()).toBe(6);
  expect(await purgeUsage(connection, [5, 6, 0], now())).toBe(0);
});

test('up to the given time: younger messages stay', async () => {
  await store(0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const between = systemClock.now();
  const young = await store(0);
  const last = await store(0);
  await purgeUsage(connection, [last, 6, 0], between);
  expect(await firstLeft()).toBe(young);
});

test('under pressure the oldest go whatever their age, down to a part of the size', async () => {
  const long = systemClock.now() - HOUR;
  let last = 0;
  const fill = async () => partFull(await loadStreamFill(connection));
  while ((await fill()) < 0.65) last = await store(0, 10_000);
  expect(await purgeUsage(connection, [last, 6, 0], long)).toBe(0);
  while ((await fill()) < 0.75) last = await store(0, 10_000);
  expect(await purgeUsage(connection, [6, 6, 0], long)).toBe(0);
  expect(await purgeUsage(connection, [last, 6, 0], long)).toBeGreaterThan(0);
  expect(await fill()).toBeLessThan(0.65);
  expect(await fill()).toBeGreaterThan(0.5);
});
