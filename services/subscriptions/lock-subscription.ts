import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { findSubscription, lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { assertClockReady } from '../../sql/postgres/subscriptions/test-clocks.ts';
import type { SubscriptionRef } from '../references.ts';

/** A subscription, its customer, and the customer's time. */
export type SubscriptionNow = { subscription: Subscription; customer: Customer; at: Instant };
/** The same, locked. */
export type LockedSubscription = SubscriptionNow;

/** The subscription that a call is about. @throws DomainError `not_found`; `conflict` while its test clock advances. */
export async function loadSubscriptionNow(
  tx: Transaction,
  { accountId, subscriptionId }: SubscriptionRef,
  now: Instant,
): Promise<SubscriptionNow> {
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw notFound(`subscription ${subscriptionId}`);
  const customer = await loadCustomer(tx, accountId, subscription.customerId);
  const at = (await assertClockReady(tx, accountId, customer.testClockId)) ?? now;
  return { subscription, customer, at };
}

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
  const { customer, at } = await loadSubscriptionNow(tx, { accountId, subscriptionId }, now);
  await lockSubscription(tx, accountId, subscriptionId);
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  return { subscription, customer, at };
}
