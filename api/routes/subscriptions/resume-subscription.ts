import { requestResume } from '../../../services/subscriptions/request-change.ts';
import { subscriptionPath, subscriptionWire } from '../../../wire/subscriptions.ts';
import { changeSubscription } from '../../change-subscription.ts';
import { operation } from '../../operation.ts';

export const resumeSubscription = operation({
  id: 'resumeSubscription',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/resume',
  tag: 'Subscriptions',
  summary: 'Resume a paused subscription',
  description: 'Periods that ended in the pause are invoiced now, one invoice each, none where nothing is due.',
  scope: 'write',
  audit: 'subscription.resumed',
  params: subscriptionPath,
  success: 200,
  previews: true,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) =>
    changeSubscription(call, dependencies, async (tx, ref, of) => {
      await requestResume(tx, ref, call.now);
      return { update: 'resume', call: of };
    }),
});
