import { attachAddon as attach } from '../../../services/addons/attach-addon.ts';
import { addonAttach, addonSubscriptionWire } from '../../../wire/addons.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const attachAddon = operation({
  id: 'attachAddon',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/addons/attach',
  tag: 'Subscriptions',
  summary: 'Attach an add-on, or change the quantity of an attached one',
  description:
    'Charged without proration: `one_time` once on the next invoice, the others from the current period on. The last quantity before an invoice counts.',
  scope: 'write',
  audit: 'subscription.addon_attached',
  params: subscriptionPath,
  body: addonAttach,
  success: 200,
  previews: true,
  response: addonSubscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { subscription_id: subscriptionId }, body, now, write }) =>
    write((tx) => attach(tx, { accountId, subscriptionId }, body, now)),
});
