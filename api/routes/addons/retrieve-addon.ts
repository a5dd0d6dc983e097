import { notFound } from '../../../core/domain-error.ts';
import { findAddon } from '../../../sql/postgres/catalog/addons.ts';
import { addonPath, addonToWire, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';

export const retrieveAddon = operation({
  id: 'retrieveAddon',
  method: 'get',
  path: '/api/addons/{addon_id}',
  tag: 'Add-ons',
  summary: 'Retrieve an add-on',
  scope: 'read',
  params: addonPath,
  success: 200,
  response: addonWire,
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const addon = await findAddon(tx, caller.accountId, params.addon_id);
      if (!addon) throw notFound(`add-on ${params.addon_id}`);
      return addonToWire(addon);
    }),
});
