import type { Begun } from '../../billing/decide/bill-boundaries.ts';
import { openingPart } from '../../billing/invoices/opening-invoice.ts';
import type { SwitchTerms } from '../../billing/subscriptions/switch.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { loadOpening } from '../invoices/load-invoice-inputs.ts';
import type { SubscriptionSnapshot } from './move-subscription.ts';
import { replaceSubscription } from './replace.ts';

/** What the switch begins at the end of a period, for the invoice of that end. */
export async function beginSuccessor(
  tx: Transaction,
  snapshot: SubscriptionSnapshot,
  terms: SwitchTerms,
  at: Instant,
): Promise<Begun> {
  const { account, customer, subscription: old } = snapshot;
  const { next } = await replaceSubscription(tx, snapshot, { ...terms, at });
  const opening = await loadOpening(tx, account.accountId, next);
  return { subscription: next, charges: openingPart(opening, customer, old.currentPeriod.trial !== undefined) };
}
