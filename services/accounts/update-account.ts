import type { Account } from '../../billing/accounts/account.ts';
import { conflict } from '../../core/domain-error.ts';
import { lockAccount, updateAccount as saveAccount } from '../../sql/postgres/accounts/accounts.ts';
import { updateClosingSteps } from '../../sql/postgres/due-steps.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockTestClocksForShare } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type AccountUpdate, accountToWire } from '../../wire/account.ts';

/** Changes an account's settings. @throws DomainError `conflict` for a new grace while a test clock of it advances */
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
  if (updated.invoiceGraceSeconds !== account.invoiceGraceSeconds) await moveClosings(tx, updated);
  return accountToWire(updated);
}

/**
 * Closings on test clocks wait for another instant now; those in real time ask for the grace when their timer rings.
 * @throws DomainError `conflict` while a clock advances: what is due on it is being decided.
 */
async function moveClosings(tx: Transaction, { accountId, invoiceGraceSeconds }: Account): Promise<void> {
  const advancing = await lockTestClocksForShare(tx, accountId);
  if (advancing) throw conflict(`Test clock ${advancing.testClockId} is advancing.`);
  await updateClosingSteps(tx, accountId, invoiceGraceSeconds);
}
