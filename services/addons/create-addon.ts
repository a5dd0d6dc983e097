import type { Addon } from '../../billing/catalog/addons.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { insertAddon } from '../../sql/postgres/catalog/addons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type AddonCreate, addonToWire } from '../../wire/addons.ts';
import { created } from '../audit/audited.ts';
import { checkAddonPrice } from './check-addon-price.ts';

/** Makes an add-on. @throws DomainError `invalid` for a price finer than its currency */
export async function createAddon(tx: Transaction, accountId: string, wanted: AddonCreate, now: Instant) {
  const { name, kind, price } = wanted;
  const currency = wanted.currency ?? (await loadAccount(tx, accountId)).defaultCurrency;
  checkAddonPrice({ kind, price, currency });
  const addon: Addon = { addonId: newId('addon'), name, kind, price, currency, status: 'active', createdAt: now };
  await insertAddon(tx, accountId, addon);
  return created(addonToWire(addon));
}
