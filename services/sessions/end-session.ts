import { deleteConsoleSession } from '../../sql/postgres/accounts/console-sessions.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import type { LiveSession } from './find-session.ts';

/** Ends a session: its cookie is of no use any more, in any process. */
export async function endSession(
  { postgres }: { postgres: Pool },
  { sessionId, caller: { accountId } }: LiveSession,
): Promise<void> {
  await inTransaction(postgres, accountId, (tx) => deleteConsoleSession(tx, accountId, sessionId));
}
