import { requestCancel } from '../../../services/subscriptions/request-change.ts';
import {
  CANCEL_SYNONYMS,
  subscriptionCancel,
  subscriptionPath,
  subscriptionWire,
} from '../../../wire/subscriptions.ts';
import { changeSubscription } from '../../change-subscription.ts';
import { operation } from '../../operation.ts';

export const cancelSubscription = operation({
  id: 'cancelSubscription',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/cancel',
  tag: 'Subscriptions',
  summary: 'Cancel a subscription now or later, or withdraw a planned cancel',
  description:
    '`cancel_at` is `immediately` (default), `end_of_period` or a date; null withdraws a planned cancel. In arrears ' +
    '`flat_fee_behavior` bills the used days, all, or none of the fee; in advance it gives back the remaining days, nothing, ' +
    'or all of it.',
  scope: 'write',
  audit: 'subscription.canceled',
  params: subscriptionPath,
  body: subscriptionCancel,
  synonyms: CANCEL_SYNONYMS,
  success: 200,
  previews: true,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) =>
    changeSubscription(call, dependencies, async (tx, ref, of) => {
      const request = await requestCancel(tx, ref, call.body, call.now);
      return { update: 'cancel', call: { ...of, request } };
    }),
});
