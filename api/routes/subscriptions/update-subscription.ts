import { isLive } from '../../../billing/subscriptions/states.ts';
import { conflict } from '../../../core/domain-error.ts';
import { lockSubscriptionForUpdate } from '../../../services/subscriptions/lock-subscription.ts';
import { loadSubscriptionRecord } from '../../../services/subscriptions/subscription-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import { updateSubscription as saveSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
import {
  subscriptionPath,
  subscriptionToWire,
  subscriptionUpdate,
  subscriptionWire,
} from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const updateSubscription = operation({
  id: 'updateSubscription',
  method: 'patch',
  path: '/api/subscriptions/{subscription_id}',
  tag: 'Subscriptions',
  summary: 'Change whether a subscription renews, or its metadata',
  description: 'The closing of a period reads both with the subscription locked; `metadata` is replaced as a whole.',
  scope: 'write',
  params: subscriptionPath,
  body: subscriptionUpdate,
  success: 200,
  response: subscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params, body, now, write }, { clickhouse }) =>
    withUsage(clickhouse, (usage) =>
      write(async (tx) => {
        const { subscription } = await lockSubscriptionForUpdate(tx, accountId, params.subscription_id, now);
        const { autoRenew, metadata, status } = subscription;
        if (body.auto_renew !== undefined && body.auto_renew !== autoRenew && !isLive(status)) {
          throw conflict(`The subscription is ${status}: whether it renews cannot be changed.`);
        }
        const changed = {
          ...subscription,
          autoRenew: body.auto_renew ?? autoRenew,
          metadata: body.metadata ?? metadata,
        };
        await saveSubscription(tx, accountId, changed);
        return subscriptionToWire(await loadSubscriptionRecord({ tx, usage }, accountId, changed));
      }),
    ),
});
