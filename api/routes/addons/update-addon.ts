import { notFound } from '../../../core/domain-error.ts';
import { lockAddon, updateAddon as updateStoredAddon } from '../../../sql/postgres/catalog/addons.ts';
import { addonPath, addonToWire, addonUpdate, addonWire } from '../../../wire/addons.ts';
import { checkAddonPrice } from '../../addon-rules.ts';
import { operation } from '../../operation.ts';

export const updateAddon = operation({
  id: 'updateAddon',
  method: 'patch',
  path: '/api/addons/{addon_id}',
  tag: 'Add-ons',
  summary: 'Change the name or the price of an add-on',
  description: 'Invoices made from then on charge the new price, also where the add-on is attached already.',
  scope: 'write',
  params: addonPath,
  body: addonUpdate,
  success: 200,
  response: addonWire,
  run: ({ caller: { accountId }, params, body, write }) =>
    write(async (tx) => {
      const addon = await lockAddon(tx, accountId, params.addon_id);
      if (!addon) throw notFound(`add-on ${params.addon_id}`);
      const { name = addon.name, price = addon.price } = body;
      const updated = { ...addon, name, price };
      checkAddonPrice(updated);
      await updateStoredAddon(tx, accountId, updated);
      return addonToWire(updated);
    }),
});
