import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { findSubscription, lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { assertClockReady } from '../../sql/postgres/subscriptions/test-clocks.ts';

/** A subscription, locked, and the customer's time. */
export type LockedSubscription = { subscription: Subscription; customer: Customer; at: Instant };

/**
 * The subscription that a call changes, locked until the transaction ends. A closing locks the same row, so each change
 * falls wholly before or after an invoice.
 * @throws DomainError `not_found`; `conflict` while its test clock advances.
 */
export async function lockSubscriptionForUpdate(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  now: Instant,
): Promise<LockedSubscription> {
  const found = await findSubscription(tx, accountId, subscriptionId);
  if (!found) throw notFound(`subscription ${subscriptionId}`);
  const customer = await loadCustomer(tx, accountId, found.customerId);
  const at = (await assertClockReady(tx, accountId, customer.testClockId)) ?? now;
  await lockSubscription(tx, accountId, subscriptionId);
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  return { subscription, customer, at };
}
