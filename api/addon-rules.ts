import type { Addon } from '../billing/addons.ts';
import { currencyOf } from '../billing/currencies.ts';
import { conflict, invalid, notFound } from '../billing/domain-error.ts';
import { type Instant, localDateAt } from '../billing/instants.ts';
import { periodIndexOn } from '../billing/periods.ts';
import { isLive } from '../billing/states.ts';
import type { Customer, Subscription } from '../billing/subscription.ts';
import { loadCustomer } from '../sql/customers.ts';
import type { Transaction } from '../sql/postgres.ts';
import { findSubscription, lockSubscription } from '../sql/subscriptions.ts';
import { assertClockReady } from '../sql/test-clocks.ts';

/**
 * Makes sure that money has no more decimals than its currency; the price of a quantity add-on is a unit price, which may
 * have more (contract 1).
 * @throws DomainError `invalid`.
 */
export function checkAddonPrice({ kind, price, currency }: Pick<Addon, 'kind' | 'price' | 'currency'>): void {
  const { exponent } = currencyOf(currency);
  if (kind === 'quantity' || (price.decimalPlaces() ?? 0) <= exponent) return;
  throw invalid({ price: [`Must have at most ${exponent} decimals in ${currency}.`] });
}

/** A subscription, locked, and the customer's time. */
export type HeldSubscription = { subscription: Subscription; customer: Customer; at: Instant };

/**
 * The subscription whose add-ons are to be changed, locked until the transaction ends. A closing locks the same row before
 * it reads them, so each change falls wholly before or after an invoice: no message to the workflow is needed for that.
 * @throws DomainError `not_found`; `conflict` while its test clock advances.
 */
export async function holdSubscription(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  now: Instant,
): Promise<HeldSubscription> {
  const found = await findSubscription(tx, accountId, subscriptionId);
  if (!found) throw notFound(`subscription ${subscriptionId}`);
  const customer = await loadCustomer(tx, accountId, found.customerId);
  const at = (await assertClockReady(tx, accountId, customer.testClockId)) ?? now;
  await lockSubscription(tx, accountId, subscriptionId);
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription) throw new Error(`subscription ${subscriptionId} is missing`);
  return { subscription, customer, at };
}

/** @throws DomainError `conflict` unless the subscription is pending or active (contract 7, pause). */
export function assertAddonsMayChange({ status }: Subscription): void {
  if (isLive(status) && status !== 'paused') return;
  throw conflict(`The subscription is ${status}: its add-ons cannot be changed.`);
}

/** The last period that an add-on canceled now is charged for: none, where its first one has not begun (contract 6). */
export function lastChargedPeriod(held: HeldSubscription): number {
  const { index, startsAt } = held.subscription.currentPeriod;
  return held.at < startsAt ? index - 1 : periodIndexAt(held);
}

/** The index of the period that `at` lies in: the open one, or a later one where its closing has yet to come. */
export function periodIndexAt({ subscription, customer, at }: HeldSubscription): number {
  const { startDate, billingPeriod, currentPeriod } = subscription;
  if (at < currentPeriod.endsAt) return currentPeriod.index;
  const { timeZone } = customer;
  const byDate = periodIndexOn({ startDate, billingPeriod, timeZone }, localDateAt(at, timeZone));
  return Math.max(currentPeriod.index + 1, byDate);
}
