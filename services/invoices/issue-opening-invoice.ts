import { openingPart } from '../../billing/invoices/opening-invoice.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { type Issuing, issueInvoice } from './issue-invoices.ts';
import { loadOpening } from './load-invoice-inputs.ts';

/** A subscription whose life begins. */
export type Opening = Issuing & { subscription: Subscription };

/**
 * Issues the opening invoice in the transaction that makes a subscription active, by its creation or by its activation: so
 * it exists exactly when the subscription is active, whatever dies in between, and before a test clock can move on. It
 * reads no usage, so nothing has to be waited for. None where nothing is due at the start (spec/subscriptions#invoices-on-schedule).
 */
export async function issueOpeningInvoice(tx: Transaction, opening: Opening): Promise<void> {
  const { account, customer, subscription } = opening;
  const { accountId } = account;
  const part = openingPart(await loadOpening(tx, accountId, subscription), customer);
  if (!part) return;
  const { subscriptionId, currentPeriod: period } = subscription;
  await issueInvoice(tx, opening, { subscriptionId, period, charged: part });
  await saveChanges(tx, accountId, { addonsBilled: part.addons });
}
