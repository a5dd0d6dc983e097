import { randomBytes } from 'node:crypto';
import { findCurrency } from '../billing/currencies.ts';
import type { Clock } from '../runtime/clock.ts';
import { hashKey, SCOPES } from '../runtime/http/api-key.ts';
import { newId } from '../runtime/ids.ts';
import { insertAccount } from '../sql/accounts.ts';
import { insertApiKey } from '../sql/api-keys.ts';
import { inTransaction, type Pool } from '../sql/postgres.ts';

/** Characters of a key that are shown again in lists, to tell keys apart. */
const PREFIX_LENGTH = 12;

export type NewAccount = { name: string; currency: string; mode: 'test' | 'live'; key?: string };

/** Makes an account and its first key with all scopes; the key is returned this once (contract 2). */
export async function createAccount(postgres: Pool, clock: Clock, wanted: NewAccount) {
  const currency = findCurrency(wanted.currency);
  if (!currency) throw new Error(`--currency ${wanted.currency} is not an ISO 4217 code`);
  const accountId = newId('acct');
  const keyId = newId('key');
  const key = wanted.key ?? newApiKey(wanted.mode);
  await inTransaction(postgres, accountId, async (tx) => {
    const now = clock.now();
    const { name, mode } = wanted;
    await insertAccount(tx, { accountId, name, mode, defaultCurrency: currency.code }, now);
    const stored = { accountId, keyId, name: 'first key', prefix: key.slice(0, PREFIX_LENGTH), keyHash: hashKey(key) };
    await insertApiKey(tx, { ...stored, scopes: SCOPES }, now);
  });
  return { account_id: accountId, key_id: keyId, key };
}

/** A new API key: 32 random bytes behind a prefix that secret scanners can look for. */
export function newApiKey(mode: 'test' | 'live'): string {
  return `mb_${mode}_${randomBytes(32).toString('base64url')}`;
}
