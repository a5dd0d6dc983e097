import { notFound } from '../../../core/domain-error.ts';
import { lockSubscriptionForUpdate } from '../../../services/subscriptions/lock-subscription.ts';
import { findAttachedAddon, updateAddonCanceled } from '../../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { addonCancel, addonSubscriptionToWire, addonSubscriptionWire } from '../../../wire/addons.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { assertAddonsMayChange, lastChargedPeriod } from '../../addon-rules.ts';
import { operation } from '../../operation.ts';

export const cancelAddon = operation({
  id: 'cancelAddon',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/addons/cancel',
  tag: 'Subscriptions',
  summary: 'Cancel an attached add-on',
  description: 'It is not charged from the next period on; a `one_time` add-on not yet invoiced is dropped.',
  scope: 'write',
  params: subscriptionPath,
  body: addonCancel,
  success: 200,
  response: addonSubscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params, body, now, write }) =>
    write(async (tx) => {
      const locked = await lockSubscriptionForUpdate(tx, accountId, params.subscription_id, now);
      const { subscriptionId } = locked.subscription;
      const attached = await findAttachedAddon(tx, accountId, subscriptionId, body.addon_id);
      if (!attached) throw notFound(`add-on ${body.addon_id} on this subscription`);
      assertAddonsMayChange(locked.subscription);
      const canceled = { at: locked.at, periodIndex: lastChargedPeriod(locked) };
      await updateAddonCanceled(tx, accountId, attached.addonSubscriptionId, canceled);
      return addonSubscriptionToWire({ ...attached, status: 'canceled' });
    }),
});
