import { updateAddon as update } from '../../../services/addons/update-addon.ts';
import { addonPath, addonUpdate, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';

export const updateAddon = operation({
  id: 'updateAddon',
  method: 'patch',
  path: '/api/addons/{addon_id}',
  tag: 'Add-ons',
  summary: 'Change the name or the price of an add-on',
  description: 'Invoices made from then on charge the new price, also where the add-on is attached already.',
  scope: 'write',
  audit: 'addon.updated',
  params: addonPath,
  body: addonUpdate,
  success: 200,
  response: addonWire,
  run: ({ caller: { accountId }, params: { addon_id: addonId }, body, write }) =>
    write((tx) => update(tx, { accountId, addonId }, body)),
});
