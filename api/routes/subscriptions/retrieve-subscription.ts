import { notFound } from '../../../core/domain-error.ts';
import { loadSubscriptionRecord } from '../../../services/subscriptions/subscription-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import { findSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
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
  run: ({ caller, params, read }, { clickhouse }) =>
    withUsage(clickhouse, (usage) =>
      read(async (tx) => {
        const subscription = await findSubscription(tx, caller.accountId, params.subscription_id);
        if (!subscription) throw notFound(`subscription ${params.subscription_id}`);
        return subscriptionToWire(await loadSubscriptionRecord({ tx, usage }, caller.accountId, subscription));
      }),
    ),
});
