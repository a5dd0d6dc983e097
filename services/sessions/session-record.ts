import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import { sessionToWire } from '../../wire/accounts/sessions.ts';
import type { LiveSession } from './find-session.ts';
import { csrfTokenOf } from './session-tokens.ts';

/** What the browser of a session is told of it. */
export async function sessionRecord(
  { postgres }: { postgres: Pool },
  { caller: { accountId, keyId, scopes }, keyName: name, endsAt }: LiveSession,
  token: string,
) {
  const account = await inReading(postgres, accountId, (tx) => loadAccount(tx, accountId));
  return sessionToWire({ account, key: { keyId, name, scopes }, csrfToken: csrfTokenOf(token), endsAt });
}
