import { timingSafeEqual } from 'node:crypto';
import { DomainError } from '../core/domain-error.ts';
import type { Instant } from '../core/instants.ts';
import { askTogether } from './ask-together.ts';
import type { Clock } from './clock.ts';
import type { Caller, FindKey } from './http/api-key.ts';
import { inTime } from './in-time.ts';
import type { Stoppable } from './lifecycle.ts';
import type { Log } from './log.ts';
import { repeat } from './repeat.ts';

/** A key that is neither revoked nor expired, as the database has it. */
export type LiveKey = Caller & { keyHash: string; expiresAt: Instant | null };

/** When a key was last used in this process. */
export type KeyUse = { keyHash: string; at: Instant };

export type KeySource = {
  listLiveKeys(): Promise<LiveKey[]>;
  findLiveKeys(keyHashes: string[]): Promise<LiveKey[]>;
  updateLastUsed(uses: KeyUse[]): Promise<void>;
};

export type KeyRing = {
  findKey: FindKey;
  /** As `findKey`, from memory only: undefined also where only the database can tell. */
  findKnownKey(keyHash: string): Caller | undefined;
  loaded(): boolean;
  /** What is done again and again: forget keys that are no longer live, learn new ones. */
  load(): Promise<void>;
  /** Likewise: say when keys were last used. */
  saveUses(): Promise<void>;
  stop(): Promise<void>;
};

/** Revocation must be effective in 5 s (spec/accounts#keys): a poll, its query, and one lost poll fit in that. */
const POLL_MS = 2_000;

/** `last_used_at` is right to 30 s (spec/accounts#keys). */
const SAVE_USES_MS = 10_000;

/** A caller whose key cannot be looked up in this time is told to come again, within the time of the whole request (spec/events#acceptance). */
const LOOK_UP_LIMIT_MS = 2_000;

/** A flood of keys that nobody has holds one connection to the database, not all of them. */
const UNKNOWN_KEYS = { atOnce: 1, most: 1_000 };

/**
 * Keeps all live API keys in memory, so that Postgres being away does not stop known senders (architecture#the-edge-and-the-stream).
 * A key it does not know is asked for in the database at once: a new key works from its first second.
 */
export async function startKeyRing(source: KeySource, clock: Clock, log: Log): Promise<KeyRing> {
  let keys = new Map<string, LiveKey>();
  let loaded = false;
  let uses = new Map<string, KeyUse>();
  const ask = askTogether((hashes: string[]) => findInOrder(source, hashes), UNKNOWN_KEYS);

  async function load() {
    const live = await source.listLiveKeys();
    keys = new Map(live.map((key) => [key.keyHash, key]));
    loaded = true;
  }

  async function findUnknown(keyHash: string): Promise<LiveKey | undefined> {
    try {
      const key = await inTime(ask(keyHash), LOOK_UP_LIMIT_MS);
      if (key) keys.set(keyHash, key);
      return judge(key, keyHash);
    } catch (error) {
      log.warn({ err: error }, 'keys cannot be looked up');
      throw new DomainError('unavailable', 'API keys cannot be checked right now. Try again.');
    }
  }

  function judge(key: LiveKey | undefined, keyHash: string): LiveKey | undefined {
    const at = clock.now();
    if (!key || !isSameHash(key.keyHash, keyHash) || (key.expiresAt !== null && key.expiresAt <= at)) return undefined;
    const use = uses.get(keyHash);
    if (use) use.at = at;
    else uses.set(keyHash, { keyHash, at });
    return key;
  }

  async function saveUses() {
    const seen = uses;
    if (seen.size === 0) return;
    uses = new Map();
    try {
      await source.updateLastUsed([...seen.values()]);
    } catch (error) {
      uses = new Map([...seen, ...uses]);
      throw error;
    }
  }

  await load().catch((error) => log.warn({ err: error }, 'keys cannot be loaded'));
  const loops: Stoppable[] = [
    repeat('api keys', log, POLL_MS, load),
    repeat('use of api keys', log, SAVE_USES_MS, saveUses),
  ];
  return {
    findKey: (keyHash) => {
      const known = keys.get(keyHash);
      return known ? judge(known, keyHash) : findUnknown(keyHash);
    },
    findKnownKey: (keyHash) => judge(keys.get(keyHash), keyHash),
    loaded: () => loaded,
    load,
    saveUses,
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await saveUses();
    },
  };
}

/** In constant time: how much of two hashes agrees must not show in how long it takes to compare them. */
function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}

async function findInOrder(source: KeySource, keyHashes: string[]): Promise<(LiveKey | undefined)[]> {
  const found = await source.findLiveKeys([...new Set(keyHashes)]);
  const byHash = new Map(found.map((key) => [key.keyHash, key]));
  return keyHashes.map((keyHash) => byHash.get(keyHash));
}
