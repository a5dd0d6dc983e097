import { DomainError } from '../billing/domain-error.ts';
import type { Instant } from '../billing/instants.ts';
import type { Clock } from './clock.ts';
import type { Caller, FindKey } from './http/api-key.ts';
import type { Log } from './log.ts';

/** A key that is neither revoked nor expired, as the database has it. */
export type LiveKey = Caller & { keyHash: string; expiresAt: Instant | null };

export type KeySource = {
  listLiveKeys(): Promise<LiveKey[]>;
  findLiveKey(keyHash: string): Promise<LiveKey | undefined>;
};

export type KeyRing = { findKey: FindKey; loaded(): boolean; runOnce(): Promise<void>; stop(): void };

/** Revocation must be effective in 5 s (contract 2): a poll, its query, and one lost poll fit in that. */
const POLL_MS = 2_000;

/**
 * Keeps all live API keys in memory, so that Postgres being away does not stop known senders (design 4).
 * A key it does not know is asked for in the database at once: a new key works from its first second.
 */
export async function startKeyRing(source: KeySource, clock: Clock, log: Log): Promise<KeyRing> {
  let keys = new Map<string, LiveKey>();
  let loaded = false;

  async function runOnce() {
    const live = await source.listLiveKeys();
    keys = new Map(live.map((key) => [key.keyHash, key]));
    loaded = true;
  }

  async function ask(keyHash: string): Promise<LiveKey | undefined> {
    try {
      const key = await source.findLiveKey(keyHash);
      if (key) keys.set(keyHash, key);
      return key;
    } catch (error) {
      log.warn({ err: error }, 'keys cannot be looked up');
      throw new DomainError('unavailable', 'API keys cannot be checked right now. Try again.');
    }
  }

  const findKey: FindKey = (keyHash) => {
    const known = keys.get(keyHash);
    if (!known) return ask(keyHash);
    return known.expiresAt !== null && known.expiresAt <= clock.now() ? undefined : known;
  };

  const poll = () => runOnce().catch((error) => log.warn({ err: error }, 'keys cannot be loaded'));
  await poll();
  const timer = setInterval(poll, POLL_MS);
  return { findKey, loaded: () => loaded, runOnce, stop: () => clearInterval(timer) };
}
