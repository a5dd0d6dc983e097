import { requestPause } from '../../../services/subscriptions/request-change.ts';
import { subscriptionPath, subscriptionPause, subscriptionWire } from '../../../wire/subscriptions.ts';
import { changeSubscription } from '../../change-subscription.ts';
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
  audit: 'subscription.paused',
  params: subscriptionPath,
  body: subscriptionPause,
  success: 200,
  previews: true,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) =>
    changeSubscription(call, dependencies, async (tx, ref, of) => {
      const request = await requestPause(tx, ref, call.body, call.now);
      return { update: 'pause', call: { ...of, request } };
    }),
});
