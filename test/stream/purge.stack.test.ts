import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBounds } from '../../aggregator/stream-retention.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import type { StreamConnection } from '../../stream/connection.ts';
import { loadStreamFill, partFull, purgeUsage, updateBackupMark } from '../../stream/purge.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { LANDINGS_STREAM, USAGE_STREAM } from '../../stream/subjects.ts';
import { type OwnNats, startNats } from '../stack/usage-engines.ts';
import { patientStream } from './patient-stream.ts';

const PARTITIONS = 3;
const HOUR = 3_600_000;

let nats: OwnNats;
let connection: StreamConnection;

beforeAll(async () => {
  nats = await startNats();
  connection = await patientStream(nats.natsUrl);
});
/** Sequences begin at 1 in each test. */
beforeEach(async () => {
  const { jsm } = connection;
  for await (const name of jsm.streams.names()) await jsm.streams.delete(name);
  await ensureStreams(jsm, { usagePartitions: PARTITIONS, usageStreamMaxBytes: 2 ** 20, streamReplicas: 1 });
});
afterAll(async () => {
  await connection.close();
  await nats.stop();
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
  expect(await purgeUsage(connection, [1, 6, 0], long)).toBe(0);
  expect(await purgeUsage(connection, [last, 6, 0], long)).toBeGreaterThan(0);
  expect(await fill()).toBeLessThan(0.65);
  expect(await fill()).toBeGreaterThan(0.5);
});

test('nothing newer than the newest backup goes, unless that is asked for', async () => {
  await store(0);
  const mark = await store(0);
  await store(0);
  const last = await store(0);
  await updateBackupMark(connection, mark);
  expect(await loadStreamFill(connection)).toMatchObject({ backedUpTo: mark });
  await purgeUsage(connection, [last, 6, 0], systemClock.now() + 1);
  expect(await firstLeft()).toBe(mark + 1);
  await purgeUsage(connection, [last, 6, 0], systemClock.now() + 1, true);
  expect(await firstLeft()).toBe(last);
});

test('claims and landings are trimmed per partition, the newest of each never', async () => {
  const place = async (subject: string, to: number) => (await connection.js.publish(subject, `{"to":${to}}`)).seq;
  const claims: number[] = [];
  await place('claim.1', 1);
  await place('landed.1', 1);
  for (let to = 1; to <= 1_600; to++) {
    claims.push(await place('claim.0', to));
    await place('landed.0', to);
  }
  const auditedTo = claims.at(-3) ?? 0;
  const audit = { auditedTo: () => [0, 0, 0], auditedClaims: () => [auditedTo, 1, 0] };
  const landedSequences = () => ({ epoch: 1, sequences: [0, 0, 0] });
  const log = createLog('test', 'silent');
  const parts = { connection, audit, clock: systemClock, log, keepMs: HOUR };
  await createBounds({ ...parts, progress: { landedSequences } }).runOnce();
  const { state } = await connection.jsm.streams.info(LANDINGS_STREAM, { subjects_filter: '>' });
  expect(state.subjects).toMatchObject({ 'claim.1': 1, 'landed.1': 1 });
  expect(state.messages).toBeLessThan(2_010);
  for (const subject of ['claim.0', 'landed.0']) {
    const newest = await connection.jsm.streams.getMessage(LANDINGS_STREAM, { last_by_subj: subject });
    expect(newest?.json()).toEqual({ to: 1_600 });
  }
});
