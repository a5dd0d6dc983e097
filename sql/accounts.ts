import { type Instant, isoFromInstant } from '../billing/instants.ts';
import { firstRow, type Pool, type Transaction } from './postgres.ts';

/** The account that owns customers, plans and keys (contract 2). */
export type Account = {
  accountId: string;
  name: string;
  mode: 'test' | 'live';
  /** ISO 4217 code in upper case. */
  defaultCurrency: string;
  netTermsDays: number;
  invoiceGraceSeconds: number;
};

type AccountRow = {
  account_id: string;
  name: string;
  mode: 'test' | 'live';
  default_currency: string;
  net_terms_days: number;
  invoice_grace_seconds: number;
};

/** Settings of an account that exists: a caller's key or a resource of it is the proof. */
export async function loadAccount(tx: Transaction, accountId: string): Promise<Account> {
  const row = firstRow(await tx.query<AccountRow>('SELECT * FROM accounts WHERE account_id = $1', [accountId]));
  if (!row) throw new Error(`account ${accountId} is missing`);
  return {
    accountId: row.account_id,
    name: row.name,
    mode: row.mode,
    defaultCurrency: row.default_currency,
    netTermsDays: row.net_terms_days,
    invoiceGraceSeconds: row.invoice_grace_seconds,
  };
}

/** Stores a new account with its counter of invoice numbers. */
export async function insertAccount(
  tx: Transaction,
  account: Pick<Account, 'accountId' | 'name' | 'mode' | 'defaultCurrency'>,
  createdAt: Instant,
): Promise<void> {
  await tx.query(
    'INSERT INTO accounts (account_id, name, mode, default_currency, created_at) VALUES ($1, $2, $3, $4, $5)',
    [account.accountId, account.name, account.mode, account.defaultCurrency, isoFromInstant(createdAt)],
  );
  await tx.query('INSERT INTO invoice_counters (account_id) VALUES ($1)', [account.accountId]);
}

/** The oldest account, which a local stack made for itself; undefined in an empty database. */
export async function findFirstAccountId(pool: Pool): Promise<string | undefined> {
  const answer = await pool.query<{ account_id: string }>(
    'SELECT account_id FROM accounts ORDER BY created_at LIMIT 1',
  );
  return firstRow(answer)?.account_id;
}
