import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { Scope } from '../../core/scopes.ts';
import { type Caller, newApiKey, traceOfKey } from '../../runtime/http/api-key.ts';
import { insertApiKey } from '../../sql/postgres/accounts/api-keys.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { apiKeyToWire } from '../../wire/accounts/api-keys.ts';
import { created } from '../audit/audited.ts';

/** Makes a key and tells it: only its hash and its first characters are kept (spec/accounts#keys). */
export async function makeApiKey(
  tx: Transaction,
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
  wanted: { name: string; scopes: Scope[]; expiresAt: Instant | null },
  now: Instant,
) {
  const key = newApiKey(mode);
  const stored = { ...wanted, keyId: newId('key'), ...traceOfKey(key) };
  await insertApiKey(tx, accountId, stored, now);
  return created({ ...apiKeyToWire({ ...stored, createdAt: now, lastUsedAt: null }), key });
}
