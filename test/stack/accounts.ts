import { createAccount } from '../../cli/create-account.ts';
import { newId } from '../../core/ids.ts';
import type { Scope } from '../../core/scopes.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { systemClock } from '../../runtime/clock.ts';
import { newApiKey, traceOfKey } from '../../runtime/http/api-key.ts';
import { insertApiKey } from '../../sql/postgres/accounts/api-keys.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { type Api, api, stack } from './api.ts';
import { patientPool } from './own-database.ts';

export type TestAccount = { accountId: string; key: string; api: Api };

/** Of the stack that all tests share, which outlives this process. */
let shared: Pool | undefined;

/** Works on the records themselves, for what no operation shows; of the stack that all tests share, where none is named. */
export async function withPostgres<T>(work: (postgres: Pool) => Promise<T>, at?: StackFile): Promise<T> {
  if (at === undefined) {
    shared ??= patientPool(stack().postgres_url);
    return work(shared);
  }
  const postgres = patientPool(at.postgres_url);
  try {
    return await work(postgres);
  } finally {
    await postgres.end();
  }
}

/**
 * `at`: the stack that it is an account of; the one that all tests share, where none is named. `isPatient`: its client repeats
 * a 503, in tests that kill or stop something, or that are not about how soon a call is answered.
 */
type AccountOptions = { mode?: 'test' | 'live'; currency?: string; at?: StackFile; isPatient?: boolean };

/** A fresh account with a key of all scopes, so that tests do not see each other's records. */
export async function newAccount(options: AccountOptions = {}): Promise<TestAccount> {
  const { mode = 'test', currency = 'usd', at, isPatient = false } = options;
  const made = await withPostgres(
    (postgres) => createAccount(postgres, systemClock, { name: 'Test', currency, mode }),
    at,
  );
  return { accountId: made.account_id, key: made.key, api: api(made.key, at?.base_url, { isPatient }) };
}

/** A client whose key has only `scopes`. */
export async function apiWithScopes(account: TestAccount, scopes: Scope[]): Promise<Api> {
  return api(await keyWithScopes(account, scopes));
}

/** A key that has only `scopes`. */
export async function keyWithScopes(account: TestAccount, scopes: Scope[]): Promise<string> {
  const key = newApiKey('test');
  const stored = { keyId: newId('key'), name: 'scoped', ...traceOfKey(key), scopes };
  await withPostgres((postgres) =>
    inTransaction(postgres, account.accountId, (tx) => insertApiKey(tx, account.accountId, stored, systemClock.now())),
  );
  return key;
}
