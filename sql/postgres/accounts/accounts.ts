import type { Account } from '../../../billing/accounts/account.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

type AccountRow = {
  account_id: string;
  name: string;
  mode: 'test' | 'live';
  default_currency: string;
  net_terms_days: number;
  invoice_grace_seconds: number;
  rate_limit: number | null;
  payment_retry_days: number[];
  late_usage: Account['lateUsage'];
};

const COLUMNS = `account_id, name, mode, default_currency, net_terms_days, invoice_grace_seconds, rate_limit, payment_retry_days,
  late_usage`;

/** Settings of an account that exists: a caller's key or a resource of it is the proof. */
export async function loadAccount(tx: Transaction, accountId: string): Promise<Account> {
  const row = firstRow(
    await tx.query<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE account_id = $1`, [accountId]),
  );
  if (!row) throw new Error(`account ${accountId} is missing`);
  return accountFromRow(row);
}

/** As {@link loadAccount}, and nobody else changes it until the transaction ends. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<Account> {
  await tx.query('SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE', [accountId]);
  return loadAccount(tx, accountId);
}

/** Stores the account's settings (spec/accounts#account). */
export async function updateAccount(tx: Transaction, account: Account): Promise<void> {
  await tx.query(
    `UPDATE accounts SET name = $2, default_currency = $3, net_terms_days = $4, invoice_grace_seconds = $5, rate_limit = $6,
       payment_retry_days = $7, late_usage = $8
     WHERE account_id = $1`,
    [
      account.accountId,
      account.name,
      account.defaultCurrency,
      account.netTermsDays,
      account.invoiceGraceSeconds,
      account.rateLimit,
      account.paymentRetryDays,
      account.lateUsage,
    ],
  );
}

function accountFromRow(row: AccountRow): Account {
  return {
    accountId: row.account_id,
    name: row.name,
    mode: row.mode,
    defaultCurrency: row.default_currency,
    netTermsDays: row.net_terms_days,
    invoiceGraceSeconds: row.invoice_grace_seconds,
    rateLimit: row.rate_limit,
    paymentRetryDays: row.payment_retry_days,
    lateUsage: row.late_usage,
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

/** All accounts, oldest first: for the operator's commands. */
export async function listAccounts(
  pool: Pool,
): Promise<(Pick<Account, 'accountId' | 'name' | 'mode' | 'defaultCurrency'> & { createdAt: Instant })[]> {
  type Row = Pick<AccountRow, 'account_id' | 'name' | 'mode' | 'default_currency'> & { created_at: Instant };
  const { rows } = await pool.query<Row>(
    'SELECT account_id, name, mode, default_currency, created_at FROM accounts ORDER BY created_at, account_id',
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    name: row.name,
    mode: row.mode,
    defaultCurrency: row.default_currency,
    createdAt: row.created_at,
  }));
}

/** The oldest account, which a local stack made for itself; undefined in an empty database. */
export async function findFirstAccountId(pool: Pool): Promise<string | undefined> {
  const answer = await pool.query<{ account_id: string }>(
    'SELECT account_id FROM accounts ORDER BY created_at LIMIT 1',
  );
  return firstRow(answer)?.account_id;
}
