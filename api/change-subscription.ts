import type { Customer, Subscription } from '../billing/subscriptions/subscription.ts';
import { notFound } from '../core/domain-error.ts';
import type { Instant } from '../core/instants.ts';
import { loadCustomer } from '../sql/postgres/customers/customers.ts';
import { findOperation } from '../sql/postgres/operations.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import { findSubscription } from '../sql/postgres/subscriptions/subscriptions.ts';
import { assertClockReady } from '../sql/postgres/subscriptions/test-clocks.ts';
import type { SubscriptionWire } from '../wire/subscriptions.ts';
import type { SubscriptionChange, WorkflowClient } from '../workflows/client.ts';
import type { Call } from './operation.ts';

type ChangeCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'now' | 'read' | 'operation'>;

/** Judges by what the records say of the subscription, and says what its workflow is to be asked. */
type Plan = (
  subscription: Subscription,
  customer: Customer,
  at: Instant,
  tx: Transaction,
) => SubscriptionChange | Promise<SubscriptionChange>;

/**
 * Has a subscription's workflow do what a call asks, and answers what it was answered (architecture#temporal). `plan` refuses what the
 * records already know to be final, so that nothing is asked of the workflow in vain; the workflow judges again.
 * @throws DomainError `not_found`; `conflict` while its test clock advances; `unavailable` while Temporal is away: the same
 * Idempotency-Key then finds what happened.
 */
export async function changeSubscription<T extends SubscriptionWire>(
  { caller: { accountId }, now, read, operation }: ChangeCall,
  { workflows }: { workflows: WorkflowClient },
  subscriptionId: string,
  plan: Plan,
): Promise<T> {
  const change = await read(async (tx: Transaction) => {
    const subscription = await findSubscription(tx, accountId, subscriptionId);
    if (!subscription) throw notFound(`subscription ${subscriptionId}`);
    const customer = await loadCustomer(tx, accountId, subscription.customerId);
    const at = (await assertClockReady(tx, accountId, customer.testClockId)) ?? now;
    return plan(subscription, customer, at, tx);
  });
  await workflows.changeSubscription({ accountId, subscriptionId }, change);
  const done = await read((tx: Transaction) =>
    findOperation(tx, accountId, [operation.operationId, ...operation.formerIds]),
  );
  if (!done) throw new Error(`${change.update} of ${subscriptionId} has no answer`);
  // The workflow has kept what `subscriptionToWire` or `switchToWire` made.
  return done.body as T;
}

/** The part of an operation's identity that crosses to the workflow. */
export function callOf({ operation: { operationId, formerIds, requestHash } }: Pick<ChangeCall, 'operation'>) {
  return { operationId, formerIds, requestHash };
}
