import { payerIdOf } from '../../billing/accounts/payers.ts';
import { decideCredits, OVERPAYMENT } from '../../billing/decide/credits.ts';
import { postProrationCredit } from '../../billing/ledger/ledger.ts';
import type { DowngradePart } from '../../billing/subscriptions/cancel.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';

/**
 * Makes an overpayment credit of each part, which names the invoice that it gives back of, so that it counts against that
 * (spec/credits#given-back-once). Who was billed for the customer gets them; of what is on no invoice yet, who is billed now. The invoices are locked.
 */
export async function savePartsCredited(
  tx: Transaction,
  { accountId, customer, at }: { accountId: string; customer: Customer; at: Instant },
  parts: readonly DowngradePart[],
  description: string,
): Promise<void> {
  if (parts.length === 0) return;
  const { currency, timeZone } = customer;
  const now = payerIdOf(customer);
  const payers = new Set(parts.map(({ payerId = now }) => payerId));
  await lockCredits(tx, accountId, [...payers]);
  const given = parts.map((part) => {
    const { payerId: customerId = now, amount, tax, invoiceId } = part;
    const of = { ...OVERPAYMENT, customerId, amount: amount.plus(tax), currency, description };
    return { ...of, posting: postProrationCredit(part), invoiceId };
  });
  await saveChanges(tx, accountId, decideCredits(given, { at, timeZone }));
}
