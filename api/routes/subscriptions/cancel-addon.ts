import { cancelAddon as cancel } from '../../../services/addons/cancel-addon.ts';
import { addonCancel, addonSubscriptionWire } from '../../../wire/addons.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const cancelAddon = operation({
  id: 'cancelAddon',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/addons/cancel',
  tag: 'Subscriptions',
  summary: 'Cancel an attached add-on',
  description: 'It is not charged from the next period on; a `one_time` add-on not yet invoiced is dropped.',
  scope: 'write',
  audit: 'subscription.addon_canceled',
  params: subscriptionPath,
  body: addonCancel,
  success: 200,
  previews: true,
  response: addonSubscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { subscription_id: subscriptionId }, body, now, write }) =>
    write((tx) => cancel(tx, { accountId, subscriptionId }, body, now)),
});
