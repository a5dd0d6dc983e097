import type { Addon, AddonSubscription } from '../../../billing/catalog/addons.ts';
import { conflict, contradiction, invalid, notFound } from '../../../core/domain-error.ts';
import { newId } from '../../../core/ids.ts';
import {
  type LockedSubscription,
  lockSubscriptionForUpdate,
} from '../../../services/subscriptions/lock-subscription.ts';
import { findAddon } from '../../../sql/postgres/catalog/addons.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import {
  findAttachedAddon,
  findCanceledAddon,
  insertAddonSubscription,
  updateAddonAttached,
} from '../../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { addonAttach, addonSubscriptionToWire, addonSubscriptionWire } from '../../../wire/addons.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { assertAddonsMayChange, periodIndexAt } from '../../addon-rules.ts';
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
  params: subscriptionPath,
  body: addonAttach,
  success: 200,
  response: addonSubscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params, body, now, write }) =>
    write(async (tx) => {
      const locked = await lockSubscriptionForUpdate(tx, accountId, params.subscription_id, now);
      const addon = await findAddon(tx, accountId, body.addon_id);
      if (!addon) throw notFound(`add-on ${body.addon_id}`);
      const quantity = quantityOf(addon, body.quantity);
      if (addon.currency !== locked.customer.currency) {
        throw contradiction(
          `The add-on is in ${addon.currency}, the customer is billed in ${locked.customer.currency}.`,
        );
      }
      assertAddonsMayChange(locked.subscription);
      return addonSubscriptionToWire(await attach(tx, accountId, locked, addon, quantity));
    }),
});

/** `one_time` and `recurring` take quantity 1 only (spec/plans#add-ons). */
function quantityOf({ kind }: Addon, wanted: number | undefined): number {
  if (kind === 'quantity' || wanted === undefined || wanted === 1) return wanted ?? 1;
  throw invalid({ quantity: [`Must be 1 for a ${kind} add-on.`] });
}

/** "Attaching an attached one changes its quantity"; one that was canceled in this very period goes on. */
async function attach(
  tx: Transaction,
  accountId: string,
  locked: LockedSubscription,
  addon: Addon,
  quantity: number,
): Promise<AddonSubscription> {
  const { subscriptionId } = locked.subscription;
  const { addonId } = addon;
  const periodIndex = periodIndexAt(locked);
  const attached = await findAttachedAddon(tx, accountId, subscriptionId, addonId);
  if (!attached && addon.status === 'archived') throw conflict(`Add-on ${addonId} is archived.`);
  const known = attached ?? (await findCanceledAddon(tx, accountId, subscriptionId, addonId, periodIndex));
  if (known) {
    const changed: AddonSubscription = { ...known, quantity, status: 'active' };
    await updateAddonAttached(tx, accountId, changed);
    return changed;
  }
  const fresh: AddonSubscription = {
    addonSubscriptionId: newId('addonsub'),
    addonId,
    subscriptionId,
    quantity,
    status: 'active',
    attachedAt: locked.at,
  };
  await insertAddonSubscription(tx, accountId, fresh, periodIndex);
  return fresh;
}
