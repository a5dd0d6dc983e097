import { DomainError, unavailable } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';
import type { JsonText } from '../runtime/exact-json.ts';
import type { CallDependencies } from '../services/dependencies.ts';
import type { Inspect } from '../services/preview-change.ts';
import type { SubscriptionRef } from '../services/references.ts';
import { cancelSubscription } from '../services/subscriptions/cancel.ts';
import { changePrepaidUnits } from '../services/subscriptions/change-prepaid-units.ts';
import { pauseSubscription } from '../services/subscriptions/pause.ts';
import { ChangedMeanwhile, type SubscriptionCall } from '../services/subscriptions/perform-call.ts';
import { resumeSubscription } from '../services/subscriptions/resume.ts';
import { switchPlan } from '../services/subscriptions/switch-plan.ts';
import { findResult } from '../sql/postgres/operations.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import type { SubscriptionChange, WorkflowClient } from '../workflows/client.ts';
import type { Dependencies } from './dependencies.ts';
import { Replay } from './idempotency/idempotency.ts';
import { type ChangeCall, type StartedCall, startCall } from './idempotency/repeats-without-key.ts';

/** What the call asks of the workflow, as the records and the body have it; refuses what is known to be final. */
type Request = (tx: Transaction, ref: SubscriptionRef, call: SubscriptionCall) => Promise<SubscriptionChange>;

/** `isRepeatable`: without an Idempotency-Key a repeat finds the result, since the call cannot be meant twice. */
type Options = { isRepeatable: boolean };

/**
 * Has a subscription's workflow do what a call asks, and returns what that answered (architecture#temporal). A repeat of a call
 * whose answer was lost finds its result (spec/subscriptions#repeats).
 * @throws DomainError what `request` throws; `unavailable` while Temporal is away, or if the change takes longer than
 * CALL_TIMEOUT_SECONDS: then it goes on. Replay if the call was done before.
 */
export async function changeSubscription(
  call: ChangeCall,
  dependencies: CallDependencies & Pick<Dependencies, 'workflows' | 'log'>,
  request: Request,
  { isRepeatable }: Options = { isRepeatable: true },
): Promise<JsonText> {
  const { caller, params, read, origin, inspect } = call;
  const ref = { accountId: caller.accountId, subscriptionId: params.subscription_id };
  if (inspect) {
    const change = await read((tx) => request(tx, ref, { ...call.operation, origin }));
    return previewed(dependencies, ref, change, inspect);
  }
  const started = await startCall(call, dependencies.log, isRepeatable);
  try {
    return await change(call, dependencies, request, started);
  } catch (error) {
    // The first call may have been done since this one was looked for, and then the records refuse this one.
    const isRefused = error instanceof DomainError && error.code !== 'unavailable';
    const first = isRefused ? await started.findFirstResult() : undefined;
    throw first ? new Replay(first) : error;
  }
}

async function change(
  { caller: { accountId }, params: { subscription_id: subscriptionId }, read, room, origin }: ChangeCall,
  { workflows }: { workflows: WorkflowClient },
  request: Request,
  { operation: { operationId, formerIds, requestHash } }: StartedCall,
): Promise<JsonText> {
  const ref = { accountId, subscriptionId };
  const change = await read((tx) => request(tx, ref, { operationId, formerIds, requestHash, origin }));
  const findAnswer = () => read((tx) => findResult(tx, accountId, [operationId, ...formerIds], room));
  await workflows.changeSubscription(ref, change);
  let done = await findAnswer();
  if (!done) {
    // Postgres was restored from before the call, which the workflow remembers as done: it is done again.
    await workflows.changeSubscription(ref, change, { again: newId('req') });
    done = await findAnswer();
  }
  // The text of what `subscriptionToWire` or `switchToWire` made: the workflow has kept it.
  if (!done?.body) throw new Error(`${change.update} of ${subscriptionId} has no answer`);
  return done.body;
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
