import type { Addon } from '../../../billing/catalog/addons.ts';
import { newId } from '../../../core/ids.ts';
import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { insertAddon } from '../../../sql/postgres/catalog/addons.ts';
import { addonCreate, addonToWire, addonWire } from '../../../wire/addons.ts';
import { checkAddonPrice } from '../../addon-rules.ts';
import { operation } from '../../operation.ts';

export const createAddon = operation({
  id: 'createAddon',
  method: 'post',
  path: '/api/addons',
  tag: 'Add-ons',
  summary: 'Create an add-on',
  description: '`one_time` is charged once, `recurring` every period, `quantity` every period by price times quantity.',
  scope: 'write',
  body: addonCreate,
  success: 201,
  response: addonWire,
  run: ({ caller: { accountId }, body, now, write }) =>
    write(async (tx) => {
      const { name, kind, price } = body;
      const currency = body.currency ?? (await loadAccount(tx, accountId)).defaultCurrency;
      checkAddonPrice({ kind, price, currency });
      const addon: Addon = { addonId: newId('addon'), name, kind, price, currency, status: 'active', createdAt: now };
      await insertAddon(tx, accountId, addon);
      return addonToWire(addon);
    }),
});
