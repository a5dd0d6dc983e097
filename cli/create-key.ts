import { parseArgs } from 'node:util';
import { SCOPES, type Scope } from '../core/scopes.ts';
import { systemClock } from '../runtime/clock.ts';
import { makeApiKey } from '../services/accounts/make-api-key.ts';
import { BY_CLI } from '../services/audit/origin.ts';
import { saveAuditEntry } from '../services/audit/save-audit-entry.ts';
import { listAccounts } from '../sql/postgres/accounts/accounts.ts';
import { createPool, inTransaction } from '../sql/postgres/postgres.ts';
import { BadUsage } from './bad-usage.ts';
import { findDatabaseUrl } from './stack-address.ts';

/**
 * `npm run cli -- create-key --account A`: makes a key of an account that has none left to make one with, and prints
 * `{account_id, key_id, name, scopes, key, ...}`; the key is told this once (spec/accounts#keys).
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      account: { type: 'string' },
      name: { type: 'string', default: 'made by the operator' },
      scopes: { type: 'string', default: SCOPES.join(',') },
    },
  });
  const { account: accountId, name } = values;
  if (!accountId) throw new BadUsage('--account is missing: the id of the account that the key is for.');
  const scopes = scopesOf(values.scopes);
  const postgres = createPool(await findDatabaseUrl());
  try {
    const account = (await listAccounts(postgres)).find((one) => one.accountId === accountId);
    if (!account) throw new Error(`There is no account ${accountId}; npm run cli -- list-accounts shows all.`);
    const wanted = { name, scopes, expiresAt: null };
    const made = await inTransaction(postgres, accountId, async (tx) => {
      const entry = { accountId, action: 'api_key.created', origin: BY_CLI } as const;
      return saveAuditEntry(tx, entry, await makeApiKey(tx, account, wanted, systemClock.now()));
    });
    console.log(JSON.stringify({ account_id: accountId, ...made }));
  } finally {
    await postgres.end();
  }
  return 0;
}

function scopesOf(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0) throw new BadUsage(`--scopes has ${unknown.join(', ')}; there are ${SCOPES.join(', ')}.`);
  return SCOPES.filter((scope) => names.includes(scope));
}

function isScope(name: string): name is Scope {
  return SCOPES.some((scope) => scope === name);
}
