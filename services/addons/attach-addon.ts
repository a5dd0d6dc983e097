import type { Addon, AddonSubscription } from '../../billing/catalog/addons.ts';
import { conflict, contradiction, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { findAddon } from '../../sql/postgres/catalog/addons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { findAttachedAddon, findCanceledAddon } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { type AddonAttach, addonSubscriptionToWire } from '../../wire/addons.ts';
import { changed, created } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { SubscriptionRef } from '../references.ts';
import { type LockedSubscription, lockSubscriptionForUpdate } from '../subscriptions/lock-subscription.ts';
import { assertAddonsMayChange, periodIndexAt } from './addon-rules.ts';

/**
 * Attaches an add-on to a subscription, or changes the quantity of an attached one.
 * @throws DomainError `not_found`; `invalid` for a quantity or a currency that does not fit; `conflict` by the state of either.
 */
export async function attachAddon(
  tx: Transaction,
  { accountId, subscriptionId }: SubscriptionRef,
  wanted: AddonAttach,
  now: Instant,
) {
  const locked = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const addon = await findAddon(tx, accountId, wanted.addon_id);
  if (!addon) throw notFound(`add-on ${wanted.addon_id}`);
  const quantity = quantityOf(addon, wanted.quantity);
  const { currency } = locked.customer;
  if (addon.currency !== currency) {
    throw contradiction(`The add-on is in ${addon.currency}, the customer is billed in ${currency}.`);
  }
  assertAddonsMayChange(locked.subscription);
  const { customerId } = locked.customer;
  return { ...(await attach(tx, accountId, locked, addon, quantity)), customerId };
}

/** `one_time` and `recurring` take quantity 1 only (spec/plans#add-ons). */
function quantityOf({ kind }: Addon, wanted: number | undefined): number {
  if (kind === 'quantity' || wanted === undefined || wanted === 1) return wanted ?? 1;
  throw invalid({ quantity: [`Must be 1 for a ${kind} add-on.`] });
}

/** "Attaching an attached one changes its quantity"; one that was canceled in this very period goes on. */
async function attach(tx: Transaction, accountId: string, locked: LockedSubscription, addon: Addon, quantity: number) {
  const { subscriptionId } = locked.subscription;
  const { addonId } = addon;
  const periodIndex = periodIndexAt(locked);
  const attached = await findAttachedAddon(tx, accountId, subscriptionId, addonId);
  if (!attached && addon.status === 'archived') throw conflict(`Add-on ${addonId} is archived.`);
  const known = attached ?? (await findCanceledAddon(tx, accountId, subscriptionId, addonId, periodIndex));
  if (known) {
    const goesOn: AddonSubscription = { ...known, quantity, status: 'active' };
    await saveChanges(tx, accountId, { addonsChanged: [goesOn] });
    return changed(addonSubscriptionToWire(known), addonSubscriptionToWire(goesOn));
  }
  const fresh: AddonSubscription = {
    addonSubscriptionId: newId('addonsub'),
    addonId,
    subscriptionId,
    quantity,
    status: 'active',
    attachedAt: locked.at,
  };
  await saveChanges(tx, accountId, { addonsAttached: [{ ...fresh, periodIndex }] });
  return created(addonSubscriptionToWire(fresh));
}
