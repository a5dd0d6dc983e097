import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { insertConsoleSession } from '../../sql/postgres/accounts/console-sessions.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { newSessionToken, sessionTokenHashes } from './session-tokens.ts';

/** Opens a session that stands for a key, and answers the token that its cookie holds: only a hash of it is kept. */
export async function openSession(
  { postgres, cipher }: { postgres: Pool; cipher: SecretCipher },
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  now: Instant,
): Promise<string> {
  const token = newSessionToken();
  const [tokenHash] = sessionTokenHashes(cipher, token);
  const session = { sessionId: newId('sess'), tokenHash, keyId };
  await inTransaction(postgres, accountId, (tx) => insertConsoleSession(tx, accountId, session, now));
  return token;
}
