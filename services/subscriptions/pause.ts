import { decidePause } from '../../billing/decide/pause.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Instant } from '../../core/instants.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { SubscriptionRef } from '../references.ts';
import { loadSubscriptionSchedule } from './load-schedule.ts';
import { planNext, publish } from './move-subscription.ts';
import { performCall, type SubscriptionCall } from './perform-call.ts';
import { subscriptionChange } from './subscription-change.ts';

/** A pause that a caller asks for; `resumesAt` null: until a resume is asked for. */
export type PauseCall = SubscriptionCall & { request: { resumesAt: Instant | null; reason: string | null } };

/** A pause by a call (spec/subscriptions#pause): from now on usage is not billed, and no invoice is made until the resume. */
export async function pauseSubscription(
  dependencies: CallDependencies,
  call: SubscriptionRef & PauseCall,
): Promise<SubscriptionSchedule> {
  await performCall(dependencies, call, 'subscription.paused', async (stores, snapshot, at) => {
    const { account, subscription } = snapshot;
    const { subscription: paused, changes } = decidePause(subscription, { at, ...call.request });
    await saveChanges(stores.tx, account.accountId, changes);
    const now = { ...snapshot, subscription: paused };
    await planNext(stores.tx, now, [paused.subscriptionId]);
    return subscriptionChange(subscription, await publish(stores, now, 'subscription.paused'));
  });
  return loadSubscriptionSchedule(dependencies, call);
}
