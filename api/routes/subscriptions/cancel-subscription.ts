import { type CancelRequest, decideCancel } from '../../../billing/subscriptions/cancel.ts';
import {
  CANCEL_SYNONYMS,
  subscriptionCancel,
  subscriptionPath,
  subscriptionWire,
} from '../../../wire/subscriptions.ts';
import { callOf, changeSubscription } from '../../change-subscription.ts';
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
  params: subscriptionPath,
  body: subscriptionCancel,
  synonyms: CANCEL_SYNONYMS,
  success: 200,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) => {
    const { body } = call;
    const request: CancelRequest = {
      cancelAt: body.cancel_at,
      flatFeeBehavior: body.flat_fee_behavior,
      billUsage: body.bill_usage,
      invoicingBehavior: body.invoicing_behavior,
    };
    return changeSubscription(call, dependencies, call.params.subscription_id, (subscription, { timeZone }, at) => {
      decideCancel(subscription, request, { at, timeZone });
      return { update: 'cancel', call: { ...callOf(call), request } };
    });
  },
});
