import { newId } from '../../core/ids.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { insertConsoleSession } from '../../sql/postgres/accounts/console-sessions.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { created } from '../audit/audited.ts';
import type { Origin } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import { newSessionToken, sessionTokenHashes } from './session-tokens.ts';

/**
 * Opens a session that stands for a key, and answers the token that its cookie holds: only a hash of it is kept. Undefined where the
 * key is of no use any more, which the caller may not have heard of yet.
 */
export async function openSession(
  { postgres, cipher }: { postgres: Pool; cipher: SecretCipher },
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  from: Pick<Origin, 'requestId' | 'ip'>,
  now: Instant,
): Promise<string | undefined> {
  const token = newSessionToken();
  const [tokenHash] = sessionTokenHashes(cipher, token);
  const session = { sessionId: newId('sess'), tokenHash, keyId };
  return inTransaction(postgres, accountId, async (tx) => {
    if (!(await insertConsoleSession(tx, accountId, session, now))) return undefined;
    const origin: Origin = { ...from, actor: { type: 'console', keyId } };
    const record = { session_id: session.sessionId, key_id: keyId, created_at: isoFromInstant(now) };
    saveAuditEntry(tx, { accountId, action: 'session.created', origin }, created(record));
    return token;
  });
}
