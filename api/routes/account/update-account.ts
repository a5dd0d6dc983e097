import type { Account } from '../../../billing/accounts/account.ts';
import { conflict } from '../../../core/domain-error.ts';
import { lockAccount, updateAccount as updateStoredAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { updateClosingSteps } from '../../../sql/postgres/due-steps.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { lockTestClocksForShare } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { accountToWire, accountUpdate, accountWire } from '../../../wire/account.ts';
import { operation } from '../../operation.ts';

export const updateAccount = operation({
  id: 'updateAccount',
  method: 'patch',
  path: '/api/account',
  tag: 'Account',
  summary: "Change the account's settings",
  description: 'Invoices made from then on follow them; a new currency is the default of new customers and plans.',
  scope: 'admin',
  body: accountUpdate,
  success: 200,
  response: accountWire,
  errors: [409],
  run: ({ caller, body, write }) =>
    write(async (tx) => {
      const account = await lockAccount(tx, caller.accountId);
      const updated: Account = {
        ...account,
        name: body.name ?? account.name,
        defaultCurrency: body.default_currency ?? account.defaultCurrency,
        netTermsDays: body.net_terms_days ?? account.netTermsDays,
        invoiceGraceSeconds: body.invoice_grace_seconds ?? account.invoiceGraceSeconds,
        rateLimit: body.rate_limit === undefined ? account.rateLimit : body.rate_limit,
        paymentRetryDays: body.payment_retry_days ?? account.paymentRetryDays,
        lateUsage: body.late_usage ?? account.lateUsage,
      };
      await updateStoredAccount(tx, updated);
      if (updated.invoiceGraceSeconds !== account.invoiceGraceSeconds) await moveClosings(tx, updated);
      return accountToWire(updated);
    }),
});

/**
 * Closings on test clocks wait for another instant now; those in real time ask for the grace when their timer rings.
 * @throws DomainError `conflict` while a clock advances: what is due on it is being decided.
 */
async function moveClosings(tx: Transaction, { accountId, invoiceGraceSeconds }: Account): Promise<void> {
  const advancing = await lockTestClocksForShare(tx, accountId);
  if (advancing) throw conflict(`Test clock ${advancing.testClockId} is advancing.`);
  await updateClosingSteps(tx, accountId, invoiceGraceSeconds);
}
