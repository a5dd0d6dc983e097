import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { loadLandedPosition } from '../../sql/clickhouse/usage/counted-positions.ts';
import { finishEpoch, startEpoch } from '../../stream/epochs.ts';
import { positionOf, sequenceOf } from '../../stream/positions.ts';
import {
  assertStreamReaches,
  establishStreams,
  loadLastSequence,
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
let expected = 0;

/** What is lost stays lost, so each test has streams of its own. */
beforeEach(async () => {
  expected = 0;
  fixture = await startUsageFixture(PARTITIONS);
});
afterEach(() => fixture.stop());

/** Sends `count` new events, lands all there are and ends landing; how far ClickHouse has counted then. */
async function land(tag: string, count: number): Promise<number> {
  fixture.startLanding();
  await fixture.publish(ids(tag, count));
  expected += count;
  await fixture.waitUntilAllLanded();
  await fixture.endLanding();
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
  // A ClickHouse that lost everything shows what lands again: the messages above the mark.
  for (const table of ['usage_events', 'usage_ids'])
    await fixture.clickhouse.command({ query: `TRUNCATE TABLE ${table}` });
  expected = 200;
  const { epoch } = await startEpoch(fixture.connection, settings, { landedTo: mark, knownTo, epoch: 1 }, log);
  expect(epoch).toBe(2);
  expect(await loadLastSequence(fixture.connection.jsm)).toBe(knownTo);
  await land('e', 10);
});

test('what an older copy of the stream holds and had not landed is carried to new positions', async () => {
  const { jsm, js } = fixture.connection;
  const before = await land('f', 20);
  const stored = await jsm.streams.getMessage(USAGE_STREAM, { seq: before });
  const unlanded = encodeUsageMessage([encodeUsageEvent(eventOf('carried'))]);
  const counted = await land('g', 200);
  const subject = stored?.subject ?? usageSubject(0);
  await replaceByCopy([{ subject, data: unlanded }], before + 1);
  await expect(assertStreamReaches(jsm, counted)).rejects.toThrow(`ends at message ${before + 1},`);
  const known = { landedTo: before, knownTo: counted, epoch: 1 };
  expect(await startEpoch(fixture.connection, settings, known, log)).toMatchObject({ epoch: 2, carriedMessages: 1 });
  expected += 1;
  await js.publish(subject, unlanded);
  await land('h', 10);
});
