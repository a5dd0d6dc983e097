import type { Instant } from '../../core/instants.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import {
  type ConsoleSession,
  findConsoleSession,
  updateSessionUse,
} from '../../sql/postgres/accounts/console-sessions.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { sessionTokenHashes } from './session-tokens.ts';

const HOUR = 3_600_000;
/** How long a session lives unused, and in all (spec/accounts#sessions). */
const UNUSED_MS = 2 * HOUR;
const IN_ALL_MS = 12 * HOUR;
/** Its last use is kept to this, so that few requests of a session write. */
const KEPT_TO_MS = 30_000;

/** A session that is not over, and when it will be where it is not used again. */
export type LiveSession = ConsoleSession & { endsAt: Instant };

/**
 * The session of a token, which is used by this; undefined where there is none or it is over. Its key is looked up with it: a
 * session ends with its key at once.
 */
export async function findSession(
  { postgres, cipher }: { postgres: Pool; cipher: SecretCipher },
  token: string,
  now: Instant,
): Promise<LiveSession | undefined> {
  const session = await findConsoleSession(postgres, sessionTokenHashes(cipher, token));
  if (!session || sessionEndsAt(session) <= now) return undefined;
  if (now - session.lastUsedAt < KEPT_TO_MS) return { ...session, endsAt: sessionEndsAt(session) };
  const { sessionId, caller } = session;
  await inTransaction(postgres, caller.accountId, (tx) =>
    updateSessionUse(tx, caller.accountId, { sessionId, keyId: caller.keyId }, now),
  );
  return { ...session, endsAt: sessionEndsAt({ ...session, lastUsedAt: now }) };
}

/** When a session ends that is not used again. */
export function sessionEndsAt({
  createdAt,
  lastUsedAt,
  keyEndsAt,
}: Pick<ConsoleSession, 'createdAt' | 'lastUsedAt' | 'keyEndsAt'>): Instant {
  return Math.min(lastUsedAt + UNUSED_MS, createdAt + IN_ALL_MS, keyEndsAt ?? Number.POSITIVE_INFINITY);
}
