import { unavailable } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';
import { JsonText, stringifyExactJson } from '../runtime/exact-json.ts';
import type { CallDependencies } from '../services/dependencies.ts';
import type { Inspect } from '../services/preview-change.ts';
import type { SubscriptionRef } from '../services/references.ts';
import { cancelSubscription } from '../services/subscriptions/cancel.ts';
import { changePrepaidUnits } from '../services/subscriptions/change-prepaid-units.ts';
import { pauseSubscription } from '../services/subscriptions/pause.ts';
import { ChangedMeanwhile, type SubscriptionCall } from '../services/subscriptions/perform-call.ts';
import { resumeSubscription } from '../services/subscriptions/resume.ts';
import { switchPlan } from '../services/subscriptions/switch-plan.ts';
import { findOperation } from '../sql/postgres/operations.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import type { SubscriptionChange, WorkflowClient } from '../workflows/client.ts';
import type { Call } from './operation.ts';

type ChangeCall = Pick<
  Call<{ subscription_id: string }, unknown, unknown>,
  'caller' | 'params' | 'read' | 'operation' | 'origin' | 'inspect'
>;

/** What the call asks of the workflow, as the records and the body have it; refuses what is known to be final. */
type Request = (tx: Transaction, ref: SubscriptionRef, call: SubscriptionCall) => Promise<SubscriptionChange>;

/**
 * Has a subscription's workflow do what a call asks, and answers what it was answered (architecture#temporal).
 * @throws DomainError what `request` throws; `unavailable` while Temporal is away: the same Idempotency-Key then finds what
 * happened.
 */
export async function changeSubscription(
  { caller: { accountId }, params: { subscription_id: subscriptionId }, read, operation, origin, inspect }: ChangeCall,
  dependencies: CallDependencies & { workflows: WorkflowClient },
  request: Request,
): Promise<JsonText> {
  const { workflows } = dependencies;
  const ref = { accountId, subscriptionId };
  const { operationId, formerIds, requestHash } = operation;
  const change = await read((tx) => request(tx, ref, { operationId, formerIds, requestHash, origin }));
  if (inspect) return previewed(dependencies, ref, change, inspect);
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

/** By then what was accepted before the call has landed, or the aggregator is away. */
const PREVIEW_MS = 10_000;

/**
 * Does the change and has it inspected, which undoes it; anew where it came upon another one, as its workflow does.
 * @throws DomainError `unavailable` where usage does not land in time, or changes come one after another for as long
 */
async function previewed(
  dependencies: CallDependencies,
  ref: SubscriptionRef,
  change: SubscriptionChange,
  inspect: Inspect,
): Promise<never> {
  const cancelled = AbortSignal.timeout(PREVIEW_MS);
  while (!cancelled.aborted) {
    try {
      await performHere(dependencies, { ...ref, inspect }, change, cancelled);
    } catch (error) {
      if (error === cancelled.reason) throw unavailable('Usage takes longer to land than a preview waits.');
      if (error instanceof ChangedMeanwhile) continue;
      throw error;
    }
    throw new Error(`${change.update} of ${ref.subscriptionId} was not undone`);
  }
  throw unavailable('The subscription is being changed. Try again.');
}

/** In this process, as the subscription's workflow would have it done. */
function performHere(
  dependencies: CallDependencies,
  ref: SubscriptionRef & { inspect: Inspect },
  change: SubscriptionChange,
  cancelled: AbortSignal,
): Promise<unknown> {
  switch (change.update) {
    case 'cancel':
      return cancelSubscription(dependencies, { ...change.call, ...ref }, cancelled);
    case 'pause':
      return pauseSubscription(dependencies, { ...change.call, ...ref });
    case 'resume':
      return resumeSubscription(dependencies, { ...change.call, ...ref }, cancelled);
    case 'switch_plan':
      return switchPlan(dependencies, { ...change.call, ...ref }, cancelled);
    case 'change_prepaid_units':
      return changePrepaidUnits(dependencies, { ...change.call, ...ref }, cancelled);
  }
}
