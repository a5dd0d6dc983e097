import { updateSubscription as update } from '../../../services/subscriptions/update-subscription.ts';
import { subscriptionPath, subscriptionUpdate, subscriptionWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const updateSubscription = operation({
  id: 'updateSubscription',
  method: 'patch',
  path: '/api/subscriptions/{subscription_id}',
  tag: 'Subscriptions',
  summary: 'Change whether a subscription renews, when its trial ends, or its metadata',
  description: 'The closing of a period reads them with the subscription locked; `metadata` is replaced as a whole.',
  scope: 'write',
  audit: 'subscription.updated',
  params: subscriptionPath,
  body: subscriptionUpdate,
  success: 200,
  response: subscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { subscription_id: subscriptionId }, body, now, writeWithUsage }) =>
    writeWithUsage((stores) => update(stores, { accountId, subscriptionId }, body, now)),
});
