import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { lockAccount } from '../../sql/postgres/accounts/accounts.ts';
import { hasOtherAdminKey, lockApiKey, updateKeyRevoked } from '../../sql/postgres/accounts/api-keys.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type ApiKeyRevoke, apiKeyToWire } from '../../wire/accounts/api-keys.ts';
import { changed } from '../audit/audited.ts';
import type { ApiKeyRef } from '../references.ts';

/**
 * Revokes an API key; one that is revoked already stays as it is.
 * @throws DomainError `not_found`; `conflict` for the last live one with scope admin, unless forced.
 */
export async function revokeApiKey(
  tx: Transaction,
  { accountId, keyId }: ApiKeyRef,
  { force }: ApiKeyRevoke,
  now: Instant,
) {
  // Of two calls that would each leave the other's key, one waits here and sees that it is the last.
  await lockAccount(tx, accountId);
  const key = await lockApiKey(tx, accountId, keyId);
  if (!key) throw notFound(`API key ${keyId}`);
  const before = apiKeyToWire(key);
  if (key.isRevoked) return changed(before, before);
  const isLive = key.expiresAt === null || key.expiresAt > now;
  if (isLive && key.scopes.includes('admin') && !force) {
    if (!(await hasOtherAdminKey(tx, accountId, keyId, now))) throw conflict(lastOf(keyId));
  }
  await updateKeyRevoked(tx, accountId, keyId, now);
  return changed(before, apiKeyToWire({ ...key, expiresAt: Math.min(now, key.expiresAt ?? now) }));
}

function lastOf(keyId: string): string {
  return `API key ${keyId} is the last one with scope admin: nobody could make keys. Make another first, or send force: true.`;
}
