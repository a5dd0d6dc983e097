import { beforeEach, expect, test, vi } from 'vitest';
import { hashKey } from '../../runtime/http/api-key.ts';
import { type KeySource, type KeyUse, type LiveKey, startKeyRing } from '../../runtime/key-ring.ts';
import { createLog } from '../../runtime/log.ts';

const log = createLog('test', 'silent');
const HASH = hashKey('a key');
const key: LiveKey = {
  keyId: 'key_1',
  accountId: 'acct_1',
  mode: 'live',
  scopes: ['read'],
  rateLimit: null,
  keyHash: HASH,
  expiresAt: null,
};

let now = 1_000;
const clock = { now: () => now };

/** A database of keys that can be away. */
function stand(live: LiveKey[]) {
  const source = {
    live,
    away: false,
    asked: [] as string[][],
    uses: [] as KeyUse[],
  };
  const unlessAway = async <T>(answer: () => T) => {
    if (source.away) throw new Error('away');
    return answer();
  };
  const keySource: KeySource = {
    listLiveKeys: () => unlessAway(() => source.live),
    findLiveKeys: (hashes) =>
      unlessAway(() => {
        source.asked.push(hashes);
        return source.live.filter(({ keyHash }) => hashes.includes(keyHash));
      }),
    updateLastUsed: (uses) => unlessAway(() => void source.uses.push(...uses)),
  };
  return { source, keySource };
}

beforeEach(() => {
  now = 1_000;
});

test('a key that is gone from the database is gone here with the next poll that succeeds', async () => {
  const { source, keySource } = stand([key]);
  const ring = await startKeyRing(keySource, clock, log);
  expect(await ring.findKey(HASH)).toBe(key);
  source.live = [];
  source.away = true;
  await expect(ring.load()).rejects.toThrow('away');
  expect(await ring.findKey(HASH)).toBe(key);
  source.away = false;
  await ring.load();
  expect(await ring.findKey(HASH)).toBeUndefined();
  await ring.stop();
});

test('while the database is away known keys go on, unknown ones are unavailable and never refused', async () => {
  const { source, keySource } = stand([key]);
  const ring = await startKeyRing(keySource, clock, log);
  source.away = true;
  await expect(ring.load()).rejects.toThrow('away');
  expect(await ring.findKey(HASH)).toBe(key);
  await expect(async () => ring.findKey(hashKey('another'))).rejects.toMatchObject({ code: 'unavailable' });
  source.away = false;
  await ring.stop();
});

test('a database that says nothing makes an unknown key unavailable within 3 s, and is asked again later', async () => {
  vi.useFakeTimers();
  try {
    const { source, keySource } = stand([]);
    const silent = { ...keySource, findLiveKeys: () => new Promise<LiveKey[]>(() => {}) };
    const ring = await startKeyRing(silent, clock, log);
    const refused = expect(ring.findKey(HASH)).rejects.toMatchObject({ code: 'unavailable' });
    await vi.advanceTimersByTimeAsync(2_999);
    await refused;
    source.live = [key];
    await ring.load();
    expect(await ring.findKey(HASH)).toBe(key);
    await ring.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('a key expires at its instant, without the database', async () => {
  const { keySource } = stand([{ ...key, expiresAt: 2_000 }]);
  const ring = await startKeyRing(keySource, clock, log);
  now = 1_999;
  expect(await ring.findKey(HASH)).toBeDefined();
  now = 2_000;
  expect(await ring.findKey(HASH)).toBeUndefined();
  await ring.stop();
});

test('a flood of unknown keys is one question at a time', async () => {
  const { source, keySource } = stand([]);
  const ring = await startKeyRing(keySource, clock, log);
  const hashes = Array.from({ length: 500 }, (_, i) => hashKey(`guess ${i}`));
  expect(await Promise.all(hashes.map(async (hash) => ring.findKey(hash)))).toEqual(hashes.map(() => undefined));
  expect(source.asked.length).toBe(2);
  await ring.stop();
});

test('uses are saved, kept while they cannot be, and saved at the stop', async () => {
  const { source, keySource } = stand([key]);
  const ring = await startKeyRing(keySource, clock, log);
  source.away = true;
  now = 5_000;
  await ring.findKey(HASH);
  await expect(ring.saveUses()).rejects.toThrow('away');
  source.away = false;
  await ring.saveUses();
  expect(source.uses).toEqual([{ keyHash: HASH, at: 5_000 }]);
  now = 9_000;
  await ring.findKey(HASH);
  await ring.stop();
  expect(source.uses.at(-1)).toEqual({ keyHash: HASH, at: 9_000 });
});
