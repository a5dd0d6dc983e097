import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { type ApiKey, lockApiKey, updateKeyRotated } from '../../sql/postgres/accounts/api-keys.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { ApiKeyRotate } from '../../wire/accounts/api-keys.ts';
import { apiKeyToWire } from '../../wire/accounts/api-keys.ts';
import { changed } from '../audit/audited.ts';
import { makeApiKey } from './make-api-key.ts';

/**
 * Makes a new key with the name, scopes and expiry of an old one, which works for the overlap more.
 * @throws DomainError `not_found`; `conflict` for one that is revoked or has expired.
 */
export async function rotateApiKey(
  tx: Transaction,
  account: Pick<Caller, 'accountId' | 'mode'>,
  keyId: string,
  { overlap_seconds: overlap = 0 }: ApiKeyRotate,
  now: Instant,
) {
  const { accountId } = account;
  const old = await lockApiKey(tx, accountId, keyId);
  if (!old) throw notFound(`API key ${keyId}`);
  assertLive(old, now);
  // Not the end of an overlap: a key that is rotated once more would leave one that soon expires.
  const { answer: made } = await makeApiKey(tx, account, { ...old, expiresAt: old.madeToExpireAt }, now);
  await updateKeyRotated(tx, accountId, keyId, { at: now, overlapEnds: now + overlap * 1_000 });
  return changed(apiKeyToWire(old), made);
}

function assertLive({ keyId, expiresAt, isRevoked }: ApiKey, now: Instant): void {
  if (isRevoked) throw conflict(`API key ${keyId} has been revoked.`);
  if (expiresAt !== null && expiresAt <= now) throw conflict(`API key ${keyId} has expired.`);
}
