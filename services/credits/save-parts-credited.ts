import { payerIdOf } from '../../billing/accounts/payers.ts';
import { postProrationCredit } from '../../billing/ledger/ledger.ts';
import type { DowngradePart } from '../../billing/subscriptions/cancel.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveOverpaymentCredit } from './save-credit.ts';

/**
 * Makes an overpayment credit of each part, which names the invoice that it gives back of, so that it counts against that
 * (spec/credits#given-back-once); the customer's payer gets them, where it has one. The invoices are locked.
 */
export async function savePartsCredited(
  tx: Transaction,
  { accountId, customer, at }: { accountId: string; customer: Customer; at: Instant },
  parts: readonly DowngradePart[],
  description: string,
): Promise<void> {
  if (parts.length === 0) return;
  const { currency, timeZone } = customer;
  const customerId = payerIdOf(customer);
  await lockCredits(tx, accountId, customerId);
  for (const part of parts) {
    const of = { customerId, amount: part.amount.plus(part.tax), currency, description, at };
    const origin = { accountId, timeZone, invoiceId: part.invoiceId };
    await saveOverpaymentCredit(tx, { ...of, posting: postProrationCredit(part) }, origin);
  }
}
