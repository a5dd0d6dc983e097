import type { Account } from '../../billing/accounts/account.ts';
import { computeInvoice } from '../../billing/invoices/compute-invoice.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { openingPart } from '../../billing/invoices/opening-invoice.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { updateAddonsBilled } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { loadOpening } from './load-invoice-inputs.ts';
import { saveInvoice } from './save-invoice.ts';

/** A subscription whose life begins; `now` is the customer's time. */
export type Opening = { account: Account; customer: Customer; subscription: Subscription; now: Instant };

/**
 * Issues the opening invoice in the transaction that makes a subscription active, by its creation or by its activation: so
 * it exists exactly when the subscription is active, whatever dies in between, and before a test clock can move on. It
 * reads no usage, so nothing has to be waited for. Undefined where nothing is due at the start (spec/subscriptions#invoices-on-schedule).
 */
export async function issueOpeningInvoice(tx: Transaction, opening: Opening): Promise<IssuedInvoice | undefined> {
  const { account, customer, subscription, now } = opening;
  const { accountId } = account;
  const { currency, taxRate, customerId } = customer;
  const part = openingPart(await loadOpening(tx, accountId, subscription), { currency });
  if (!part) return undefined;
  await lockCredits(tx, accountId, customerId);
  const invoice = computeInvoice({
    ...part,
    currency,
    taxRate,
    credits: await listCreditsWithRemainder(tx, accountId, customerId),
    today: localDateAt(now, customer.timeZone),
  });
  const { subscriptionId, currentPeriod } = subscription;
  const periodIndex = currentPeriod.index;
  const issued = await saveInvoice(tx, { account, customer, subscriptionId, periodIndex, invoice, now });
  await updateAddonsBilled(tx, accountId, part.addons);
  return issued;
}
