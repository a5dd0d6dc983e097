import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { loadLandedPosition } from '../../sql/clickhouse/usage/counted-positions.ts';
import { finishEpoch, startEpoch } from '../../stream/epochs.ts';
import { positionOf, sequenceOf } from '../../stream/positions.ts';
import {
  assertStreamReaches,
  establishStreams,
  loadLastSequence,
  loadUsageStream,
  StreamLost,
  wantedStream,
} from '../../stream/streams.ts';
import { LANDINGS_STREAM, USAGE_STREAM, usageSubject } from '../../stream/subjects.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { eventOf, startUsageFixture, type UsageFixture } from '../aggregator/usage-fixture.ts';

const PARTITIONS = 2;
const settings = { usagePartitions: PARTITIONS, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
const log = createLog('test', 'silent');
const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

let fixture: UsageFixture;
/** Events that are there: each test goes on in the epoch that the one before has come to. */
let expected = 0;

beforeAll(async () => {
  fixture = await startUsageFixture(PARTITIONS);
});
afterAll(() => fixture.stop());

const currentEpoch = async () => (await loadUsageStream(fixture.connection.jsm)).epoch;

let isLanding = false;
async function endLanding() {
  await fixture.endLanding();
  isLanding = false;
}

/** Sends `count` new events and lands all there are; how far ClickHouse has counted then. */
async function land(tag: string, count: number): Promise<number> {
  if (!isLanding) fixture.startLanding();
  isLanding = true;
  await fixture.publish(ids(tag, count));
  expected += count;
  await fixture.waitUntilAllLanded();
  expect(await fixture.totals()).toMatchObject({ events: expected, distinct: expected, ids: expected });
  return sequenceOf((await loadLandedPosition(fixture.clickhouse)).position);
}

/** What the server answers for a stream that is gone comes out of its old folder: the whole stream, as of a copy. */
async function replaceByCopy(messages: { subject: string; data: Uint8Array }[], firstSequence: number) {
  const { jsm, js } = fixture.connection;
  await jsm.streams.delete(USAGE_STREAM);
  await jsm.streams.add({ ...wantedStream(settings, USAGE_STREAM), first_seq: firstSequence });
  for (const { subject, data } of messages) await js.publish(subject, data);
}

test('a stream that was lost is noticed and not made anew; a new epoch goes on above it, and old ids stay repeats', async () => {
  const { jsm } = fixture.connection;
  const counted = await land('a', 300);
  await endLanding();
  await establishStreams(jsm, settings, counted);
  await jsm.streams.delete(USAGE_STREAM);
  await jsm.streams.delete(LANDINGS_STREAM);
  await expect(establishStreams(jsm, settings, counted)).rejects.toThrow(StreamLost);
  await expect(establishStreams(jsm, settings, counted)).rejects.toThrow(
    `The usage stream is gone, but events up to message ${counted} have been counted. If it can't be brought back, run: npm run cli -- new-epoch`,
  );

  const { position, epoch } = await loadLandedPosition(fixture.clickhouse);
  const knownTo = sequenceOf(position);
  const made = await startEpoch(fixture.connection, settings, { landedTo: 0, knownTo, epoch }, log);
  expect(made).toEqual({ epoch: 2, partitions: PARTITIONS, carriedMessages: 0 });
  await assertStreamReaches(jsm, knownTo);
  expect(await fixture.progress.landedPosition()).toBeGreaterThanOrEqual(positionOf(knownTo, 0));
  await fixture.publish(ids('a', 300));
  expect(await land('b', 100)).toBeGreaterThan(knownTo);
  expect(await finishEpoch(fixture.connection)).toBeUndefined();
});

test('what a stream has kept above a restored ClickHouse’s mark lands again', async () => {
  const mark = await land('c', 50);
  const knownTo = await land('d', 200);
  await endLanding();
  // A ClickHouse that lost everything shows what lands again: the messages above the mark.
  for (const table of ['usage_events', 'usage_ids'])
    await fixture.clickhouse.command({ query: `TRUNCATE TABLE ${table}` });
  expected = 200;
  const before = await currentEpoch();
  const { epoch } = await startEpoch(fixture.connection, settings, { landedTo: mark, knownTo, epoch: before }, log);
  expect(epoch).toBe(before + 1);
  expect(await loadLastSequence(fixture.connection.jsm)).toBe(knownTo);
  await land('e', 10);
});

test('what an older copy of the stream holds and had not landed is carried to new positions', async () => {
  const { jsm, js } = fixture.connection;
  const before = await land('f', 20);
  const stored = await jsm.streams.getMessage(USAGE_STREAM, { seq: before });
  const unlanded = encodeUsageMessage([encodeUsageEvent(eventOf('carried'))]);
  const counted = await land('g', 200);
  await endLanding();
  const subject = stored?.subject ?? usageSubject(0);
  const epoch = await currentEpoch();
  await replaceByCopy([{ subject, data: unlanded }], before + 1);
  await expect(assertStreamReaches(jsm, counted)).rejects.toThrow(`ends at message ${before + 1},`);
  const known = { landedTo: before, knownTo: counted, epoch };
  const made = await startEpoch(fixture.connection, settings, known, log);
  expect(made).toMatchObject({ epoch: epoch + 1, carriedMessages: 1 });
  expected += 1;
  await js.publish(subject, unlanded);
  await land('h', 10);
});
