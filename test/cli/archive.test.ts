import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  addPosition,
  baseFile,
  listPositions,
  pruneArchive,
  walFolder,
  writeBaseManifest,
} from '../../cli/archive/archive-folder.ts';
import { lsnFromText, lsnToText, segmentName, startOfSegment } from '../../cli/archive/lsn.ts';
import { planRecovery } from '../../cli/archive/plan-recovery.ts';
import { SegmentWriter } from '../../cli/archive/segment-writer.ts';

const SEGMENT = 2 ** 24;
const name = (n: number) => segmentName(1, BigInt(n * SEGMENT), SEGMENT);
const place = (n: number) => lsnToText(BigInt(n * SEGMENT));

let archive = '';
let life = '';

beforeEach(async () => {
  archive = await mkdtemp(join(tmpdir(), 'meterbook-archive-'));
  life = join(archive, '7-1');
  await mkdir(walFolder(life), { recursive: true });
});
afterEach(() => rm(archive, { recursive: true, force: true }));

/** A copy that needs the log from segment `n` on, made on day `n` of the month. */
async function addBase(n: number): Promise<void> {
  const tar = Buffer.from(`copy ${n}`);
  await writeFile(join(life, baseFile(name(n))), tar);
  await writeBaseManifest(life, name(n), {
    format: 1,
    taken_at: dayOf(n),
    start: place(n),
    end: place(n),
    segment_bytes: SEGMENT,
    unpacked_bytes: 10,
    sha256: createHash('sha256').update(tar).digest('hex'),
  });
}
const dayOf = (n: number) => `2026-11-${String(n).padStart(2, '0')}T00:00:00.000Z`;

async function addSegments(...numbers: number[]): Promise<void> {
  for (const n of numbers) await writeFile(join(walFolder(life), `${name(n)}.gz`), '');
}

test('places in the log are written and named as Postgres does it', () => {
  expect(lsnFromText('16/B374D848')).toBe(0x16_b374_d848n);
  expect(lsnToText(0x16_b374_d848n)).toBe('16/B374D848');
  expect(() => lsnFromText('16')).toThrow('is no place');
  expect(segmentName(2, lsnFromText('16/B374D848'), SEGMENT)).toBe('0000000200000016000000B3');
  expect(lsnToText(startOfSegment('0000000200000016000000B3', SEGMENT))).toBe('16/B3000000');
});

describe('a recovery begins with', () => {
  test('the newest copy, and all of the log behind it', async () => {
    await addBase(2);
    await addBase(4);
    await addSegments(2, 3, 4, 5);
    const { base, segments, settings } = await planRecovery(archive, 'newest');
    expect([base.segment, segments.map((one) => one.name), settings]).toEqual([name(4), [name(4), name(5)], {}]);
  });

  test('the newest copy from before the instant, or the position', async () => {
    await addBase(2);
    await addBase(4);
    await addSegments(2, 3, 4, 5);
    const at = (n: number, counted_to: number) => addPosition(life, { at: dayOf(n), lsn: place(n), counted_to });
    for (const [n, counted] of [
      [2, 10],
      [3, 20],
      [5, 30],
    ] as const)
      await at(n, counted);
    const byTime = await planRecovery(archive, { at: Date.parse('2026-11-03T12:00:00Z') });
    expect(byTime).toMatchObject({
      base: { segment: name(2) },
      settings: { recovery_target_time: '2026-11-03T12:00:00.000+00' },
    });
    const byPosition = (countedTo: number) => planRecovery(archive, { countedTo });
    expect(await byPosition(29)).toMatchObject({
      base: { segment: name(2) },
      settings: { recovery_target_lsn: place(3) },
    });
    expect(await byPosition(30)).toMatchObject({
      base: { segment: name(4) },
      settings: { recovery_target_lsn: place(5) },
    });
    // Nothing was written behind it: Postgres would look for the place in vain.
    await at(6, 40);
    expect(await byPosition(40)).toMatchObject({ base: { segment: name(4) }, settings: {} });
    await writeFile(join(walFolder(life), `${name(6)}.partial`), 'more');
    expect(await byPosition(40)).toMatchObject({ settings: { recovery_target_lsn: place(6) } });
    await expect(byPosition(9)).rejects.toThrow(`oldest copy of the records is of ${dayOf(2)}`);
    await expect(planRecovery(archive, { at: 0 })).rejects.toThrow('it has nothing from before');
  });

  test('nothing where a segment is missing, which is named, or a copy is not as it was written', async () => {
    await expect(planRecovery(archive, 'newest')).rejects.toThrow('is no archive of the records');
    await addBase(2);
    await expect(planRecovery(archive, 'newest')).rejects.toThrow(`wal/${name(2)}.gz of the archive is missing`);
    await addSegments(2, 4);
    await expect(planRecovery(archive, 'newest')).rejects.toThrow(`wal/${name(3)}.gz of the archive is missing`);
    // One that never became whole, with others behind it: Postgres would take its end for the end of all.
    await writeFile(join(walFolder(life), `${name(3)}.partial`), 'begun');
    await expect(planRecovery(archive, 'newest')).rejects.toThrow(`wal/${name(3)}.gz of the archive is missing`);
    await addSegments(3);
    await writeFile(join(life, baseFile(name(2))), 'other');
    await expect(planRecovery(archive, 'newest')).rejects.toThrow(`${baseFile(name(2))} of the archive is not as it`);
    await rm(join(life, baseFile(name(2))));
    await expect(planRecovery(archive, 'newest')).rejects.toThrow(`${baseFile(name(2))} of the archive is missing`);
  });
});

test('old copies go with what only they need, the newest stays', async () => {
  await addBase(2);
  await addBase(4);
  await addSegments(1, 2, 3, 4, 5);
  for (const n of [2, 3, 5]) await addPosition(life, { at: dayOf(n), lsn: place(n), counted_to: n });
  // What was left when a copy, an earlier prune or a segment was cut off, and a life of which no copy was made.
  await writeFile(join(life, baseFile(name(1))), 'copy 1');
  await writeFile(join(life, `base-${name(3)}.json.draft`), '');
  for (const file of [`${name(1)}.partial`, `${name(2)}.gz.draft`]) await writeFile(join(walFolder(life), file), '');
  await mkdir(walFolder(join(archive, '7-0')), { recursive: true });
  await pruneArchive(archive, Date.parse(dayOf(9)));
  expect(await readdir(archive)).toEqual(['7-1']);
  expect((await readdir(life)).sort()).toEqual(
    ['wal', 'positions.ndjson', baseFile(name(4)), `base-${name(4)}.json`].sort(),
  );
  expect((await readdir(walFolder(life))).sort()).toEqual([`${name(4)}.gz`, `${name(5)}.gz`]);
  expect((await listPositions(life)).map((one) => one.counted_to)).toEqual([5]);
});

test('the log is kept as it grows, goes on over what an earlier life has left, and is cut at segments', async () => {
  const system = { systemId: '7', timeline: 1, segmentBytes: 16 };
  const data = Buffer.from('abcdefghijklmnopqrstuvwxyz');
  const write = async (from: number, to: number) => {
    const writer = new SegmentWriter(walFolder(life), system);
    const flushed = await writer.write([{ at: BigInt(from), data: data.subarray(from, to) }]);
    await writer.close();
    return flushed;
  };
  expect(await write(0, 9)).toBe(9n);
  expect(await write(0, 4)).toBe(4n);
  const partial = `${segmentName(1, 0n, 16)}.partial`;
  expect(await readFile(join(walFolder(life), partial), 'utf8')).toBe('abcdefghi');
  expect(await write(0, 20)).toBe(20n);
  const [whole, next] = [segmentName(1, 0n, 16), segmentName(1, 16n, 16)];
  expect((await readdir(walFolder(life))).sort()).toEqual([`${whole}.gz`, `${next}.partial`]);
  expect(gunzipSync(await readFile(join(walFolder(life), `${whole}.gz`))).toString()).toBe('abcdefghijklmnop');
  expect(await readFile(join(walFolder(life), `${next}.partial`), 'utf8')).toBe('qrst');
});

test('what the archive has of the log is never written over by another one: a server was put back', async () => {
  const system = { systemId: '7', timeline: 1, segmentBytes: 16 };
  const write = async (text: string) => {
    const writer = new SegmentWriter(walFolder(life), system);
    try {
      return await writer.write([{ at: 0n, data: Buffer.from(text) }]);
    } finally {
      await writer.close();
    }
  };
  const [whole, next] = [`${segmentName(1, 0n, 16)}.gz`, `${segmentName(1, 16n, 16)}.partial`];
  const kept = async () => {
    const [first, second] = [await readFile(join(walFolder(life), whole)), await readFile(join(walFolder(life), next))];
    return `${gunzipSync(first)}${second}`;
  };
  await write('abcdefghijklmnopqrst');
  await expect(write('abcdefghijklmnopqrsX')).rejects.toThrow(`${segmentName(1, 16n, 16)} has another log at 0/13`);
  await expect(write('abXdefghijklmnopqrstuvw')).rejects.toThrow('Keep the log from here on in another folder');
  expect(await kept()).toBe('abcdefghijklmnopqrst');
  // The same once more, and more of it; zeros were never written.
  expect(await write('abcdefghijklmnopqrstu')).toBe(21n);
  await writeFile(join(walFolder(life), next), 'qr\0\0u');
  expect(await write('abcdefghijklmnopqrstuv')).toBe(22n);
  expect(await kept()).toBe('abcdefghijklmnopqrstuv');
});
