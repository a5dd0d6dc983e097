import { notFound } from '../../core/domain-error.ts';
import { lockAddon, updateAddon as saveAddon } from '../../sql/postgres/catalog/addons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type AddonUpdate, addonToWire } from '../../wire/addons.ts';
import { changed } from '../audit/audited.ts';
import type { AddonRef } from '../references.ts';
import { checkAddonPrice } from './check-addon-price.ts';

/** Changes the name or the price of an add-on. @throws DomainError `not_found`; `invalid` for a price finer than its currency */
export async function updateAddon(tx: Transaction, { accountId, addonId }: AddonRef, changes: AddonUpdate) {
  const addon = await lockAddon(tx, accountId, addonId);
  if (!addon) throw notFound(`add-on ${addonId}`);
  const { name = addon.name, price = addon.price } = changes;
  const updated = { ...addon, name, price };
  checkAddonPrice(updated);
  await saveAddon(tx, accountId, updated);
  return changed(addonToWire(addon), addonToWire(updated));
}
