import { decidePause } from '../../billing/periods/pauses.ts';
import { dateIn } from '../../billing/periods/periods.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { insertPause } from '../../sql/postgres/subscriptions/pauses.ts';
import { updateSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
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
    const { resumesAt, reason } = call.request;
    const status = decidePause(subscription.status, resumesAt, at);
    const paused: Subscription = { ...subscription, status, paused: { at, resumesAt } };
    const pause = { pausedAt: at, pausedOn: dateIn(subscription.currentPeriod, at), reason };
    await insertPause(stores.tx, account.accountId, subscription.subscriptionId, pause);
    await updateSubscription(stores.tx, account.accountId, paused);
    const now = { ...snapshot, subscription: paused };
    await planNext(stores.tx, now, [paused.subscriptionId]);
    return subscriptionChange(subscription, await publish(stores, now, 'subscription.paused'));
  });
  return loadSubscriptionSchedule(dependencies, call);
}
