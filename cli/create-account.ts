import { parseArgs } from 'node:util';
import { findCurrency } from '../core/currencies.ts';
import { newId } from '../core/ids.ts';
import { SCOPES } from '../core/scopes.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { newApiKey, traceOfKey } from '../runtime/http/api-key.ts';
import { created } from '../services/audit/audited.ts';
import { BY_CLI } from '../services/audit/origin.ts';
import { saveAuditEntry } from '../services/audit/save-audit-entry.ts';
import { insertAccount, loadAccount } from '../sql/postgres/accounts/accounts.ts';
import { insertApiKey } from '../sql/postgres/accounts/api-keys.ts';
import { createPool, inTransaction, type Pool } from '../sql/postgres/postgres.ts';
import { accountToWire } from '../wire/accounts/account.ts';
import { apiKeyToWire } from '../wire/accounts/api-keys.ts';
import { BadUsage } from './bad-usage.ts';
import { findDatabaseUrl } from './stack-address.ts';

/** `npm run cli -- create-account`: prints `{account_id, key_id, key}` (spec/accounts#keys, spec/service#command-line). */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      currency: { type: 'string', default: 'usd' },
      mode: { type: 'string', default: 'live' },
    },
  });
  const { name, currency, mode } = values;
  if (!name) throw new BadUsage('--name is missing: what the account is called, on its invoices too.');
  if (mode !== 'live' && mode !== 'test') throw new BadUsage(`--mode is ${mode}; it must be test or live.`);
  const postgres = createPool(await findDatabaseUrl());
  try {
    console.log(JSON.stringify(await createAccount(postgres, systemClock, { name, currency, mode })));
  } finally {
    await postgres.end();
  }
  return 0;
}

export type NewAccount = { name: string; currency: string; mode: 'test' | 'live'; key?: string };

/** Makes an account and its first key with all scopes; the key is returned this once (spec/accounts#scopes). */
export async function createAccount(postgres: Pool, clock: Clock, wanted: NewAccount) {
  const currency = findCurrency(wanted.currency);
  if (!currency) throw new BadUsage(`--currency is ${wanted.currency}; it must be an ISO 4217 code such as usd.`);
  const accountId = newId('acct');
  const keyId = newId('key');
  const key = wanted.key ?? newApiKey(wanted.mode);
  await inTransaction(postgres, accountId, async (tx) => {
    const now = clock.now();
    const { name, mode } = wanted;
    await insertAccount(tx, { accountId, name, mode, defaultCurrency: currency.code }, now);
    const first = { keyId, name: 'first key', ...traceOfKey(key), scopes: [...SCOPES], expiresAt: null };
    await insertApiKey(tx, accountId, first, now);
    const account = accountToWire(await loadAccount(tx, accountId));
    saveAuditEntry(tx, { accountId, action: 'account.created', origin: BY_CLI }, created(account));
    const firstKey = apiKeyToWire({ ...first, createdAt: now, lastUsedAt: null });
    saveAuditEntry(tx, { accountId, action: 'api_key.created', origin: BY_CLI }, created(firstKey));
  });
  return { account_id: accountId, key_id: keyId, key };
}
