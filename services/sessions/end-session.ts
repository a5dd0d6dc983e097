import { isoFromInstant } from '../../core/instants.ts';
import { deleteConsoleSession } from '../../sql/postgres/accounts/console-sessions.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { deleted } from '../audit/audited.ts';
import type { Origin } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import type { LiveSession } from './find-session.ts';

/** Ends a session: its cookie is of no use any more, in any process. */
export async function endSession(
  { postgres }: { postgres: Pool },
  { sessionId, createdAt, caller: { accountId, keyId } }: LiveSession,
  from: Pick<Origin, 'requestId' | 'ip'>,
): Promise<void> {
  await inTransaction(postgres, accountId, async (tx) => {
    if (!(await deleteConsoleSession(tx, accountId, sessionId))) return;
    const origin: Origin = { ...from, actor: { type: 'console', keyId } };
    const record = { session_id: sessionId, key_id: keyId, created_at: isoFromInstant(createdAt) };
    saveAuditEntry(tx, { accountId, action: 'session.deleted', origin }, deleted(record));
  });
}
