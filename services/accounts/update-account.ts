import type { Account } from '../../billing/accounts/account.ts';
import { lockAccount, updateAccount as saveAccount } from '../../sql/postgres/accounts/accounts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type AccountUpdate, accountToWire } from '../../wire/accounts/account.ts';
import { changed } from '../audit/audited.ts';

/** Changes an account's settings: a new grace is that of periods which have not ended (spec/invoices#grace). */
export async function updateAccount(tx: Transaction, accountId: string, changes: AccountUpdate) {
  const account = await lockAccount(tx, accountId);
  const updated: Account = {
    ...account,
    name: changes.name ?? account.name,
    defaultCurrency: changes.default_currency ?? account.defaultCurrency,
    netTermsDays: changes.net_terms_days ?? account.netTermsDays,
    invoiceGraceSeconds: changes.invoice_grace_seconds ?? account.invoiceGraceSeconds,
    rateLimit: changes.rate_limit === undefined ? account.rateLimit : changes.rate_limit,
    paymentRetryDays: changes.payment_retry_days ?? account.paymentRetryDays,
    lateUsage: changes.late_usage ?? account.lateUsage,
  };
  await saveAccount(tx, updated);
  return changed(accountToWire(account), accountToWire(updated));
}
