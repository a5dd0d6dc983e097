import { createHmac, randomBytes } from 'node:crypto';
import type { SecretCipher } from '../../runtime/cipher.ts';

const TOKEN_BYTES = 32;
const PURPOSE = 'console sessions';

/** What the cookie of a new session holds: nobody guesses it. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * What a session is kept and found by: HMACs of its token, under a key of ours, so that stored ones tell nothing and nobody who can
 * write rows makes a session. The first is that of the newest encryption key; the others find sessions that are older than it.
 */
export function sessionTokenHashes(cipher: SecretCipher, token: string): [Buffer, ...Buffer[]] {
  const [newest = '', ...older] = cipher.deriveKeys(PURPOSE);
  const hashOf = (key: Buffer | string) => createHmac('sha256', key).update(token).digest();
  return [hashOf(newest), ...older.map(hashOf)];
}

/** What proves that a request was made by a page of ours: only it is told, and only the session's token gives it. */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}
