import { newId } from '../core/ids.ts';
import { JsonText, stringifyExactJson } from '../runtime/exact-json.ts';
import type { SubscriptionRef } from '../services/references.ts';
import type { SubscriptionCall } from '../services/subscriptions/perform-call.ts';
import { findOperation } from '../sql/postgres/operations.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import type { SubscriptionChange, WorkflowClient } from '../workflows/client.ts';
import type { Call } from './operation.ts';

type ChangeCall = Pick<
  Call<{ subscription_id: string }, unknown, unknown>,
  'caller' | 'params' | 'read' | 'operation' | 'origin'
>;

/** What the call asks of the workflow, as the records and the body have it; refuses what is known to be final. */
type Request = (tx: Transaction, ref: SubscriptionRef, call: SubscriptionCall) => Promise<SubscriptionChange>;

/**
 * Has a subscription's workflow do what a call asks, and answers what it was answered (architecture#temporal).
 * @throws DomainError what `request` throws; `unavailable` while Temporal is away: the same Idempotency-Key then finds what
 * happened.
 */
export async function changeSubscription(
  { caller: { accountId }, params: { subscription_id: subscriptionId }, read, operation, origin }: ChangeCall,
  { workflows }: { workflows: WorkflowClient },
  request: Request,
): Promise<JsonText> {
  const ref = { accountId, subscriptionId };
  const { operationId, formerIds, requestHash } = operation;
  const change = await read((tx) => request(tx, ref, { operationId, formerIds, requestHash, origin }));
  const findAnswer = () => read((tx) => findOperation(tx, accountId, [operationId, ...formerIds]));
  await workflows.changeSubscription(ref, change);
  let done = await findAnswer();
  if (!done) {
    // Postgres was restored from before the call, which the workflow remembers as done: it is done again.
    await workflows.changeSubscription(ref, change, { again: newId('req') });
    done = await findAnswer();
  }
  if (!done) throw new Error(`${change.update} of ${subscriptionId} has no answer`);
  // The text of what `subscriptionToWire` or `switchToWire` made: the workflow has kept it.
  return new JsonText(stringifyExactJson(done.body));
}
