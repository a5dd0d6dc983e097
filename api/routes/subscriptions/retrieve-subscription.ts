import { findSubscriptionRecord } from '../../../services/subscriptions/subscription-records.ts';
import { subscriptionPath, subscriptionToWire, subscriptionWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const retrieveSubscription = operation({
  id: 'retrieveSubscription',
  method: 'get',
  path: '/api/subscriptions/{subscription_id}',
  tag: 'Subscriptions',
  summary: 'Retrieve a subscription',
  scope: 'read',
  params: subscriptionPath,
  success: 200,
  response: subscriptionWire,
  run: async ({ caller: { accountId }, params: { subscription_id: subscriptionId }, readWithUsage }) =>
    subscriptionToWire(await readWithUsage((stores) => findSubscriptionRecord(stores, { accountId, subscriptionId }))),
});
