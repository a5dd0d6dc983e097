import { isoFromInstant } from '../core/instants.ts';
import { listAccounts } from '../sql/postgres/accounts/accounts.ts';
import { createPool } from '../sql/postgres/postgres.ts';
import { findDatabaseUrl } from './stack-address.ts';

/** `npm run cli -- list-accounts`: prints `{accounts: [{account_id, name, mode, default_currency, created_at}]}`, oldest first. */
export async function run(): Promise<number> {
  const postgres = createPool(await findDatabaseUrl());
  try {
    const accounts = (await listAccounts(postgres)).map(({ accountId, name, mode, defaultCurrency, createdAt }) => ({
      account_id: accountId,
      name,
      mode,
      default_currency: defaultCurrency.toLowerCase(),
      created_at: isoFromInstant(createdAt),
    }));
    console.log(JSON.stringify({ accounts }));
  } finally {
    await postgres.end();
  }
  return 0;
}
