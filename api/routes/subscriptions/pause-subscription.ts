import { decidePause } from '../../../billing/periods/pauses.ts';
import { instantOfMoment } from '../../../wire/moments.ts';
import { subscriptionPath, subscriptionPause, subscriptionWire } from '../../../wire/subscriptions.ts';
import { callOf, changeSubscription } from '../../change-subscription.ts';
import { operation } from '../../operation.ts';

export const pauseSubscription = operation({
  id: 'pauseSubscription',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/pause',
  tag: 'Subscriptions',
  summary: 'Pause an active subscription',
  description:
    'Until it is resumed, by a call or at `resumes_at`, no invoice is made; usage in the pause is never billed and its days ' +
    'cost no fee.',
  scope: 'write',
  params: subscriptionPath,
  body: subscriptionPause,
  success: 200,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) => {
    const { resumes_at, reason } = call.body;
    return changeSubscription(call, dependencies, call.params.subscription_id, (subscription, { timeZone }, at) => {
      const resumesAt = resumes_at === null ? null : instantOfMoment(resumes_at, timeZone);
      decidePause(subscription.status, resumesAt, at);
      return { update: 'pause', call: { ...callOf(call), request: { resumesAt, reason } } };
    });
  },
});
