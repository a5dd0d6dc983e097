import { conflict, notFound } from '../../../core/domain-error.ts';
import { lockAddon, updateAddon } from '../../../sql/postgres/catalog/addons.ts';
import { addonPath, addonToWire, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';

export const archiveAddon = operation({
  id: 'archiveAddon',
  method: 'post',
  path: '/api/addons/{addon_id}/archive',
  tag: 'Add-ons',
  summary: 'Archive an add-on: it can no longer be attached',
  description: 'Subscriptions that have it attached keep it, and are charged for it.',
  scope: 'write',
  params: addonPath,
  success: 200,
  response: addonWire,
  errors: [409],
  run: ({ caller: { accountId }, params, write }) =>
    write(async (tx) => {
      const addon = await lockAddon(tx, accountId, params.addon_id);
      if (!addon) throw notFound(`add-on ${params.addon_id}`);
      if (addon.status === 'archived') throw conflict('The add-on is archived already.');
      const archived = { ...addon, status: 'archived' as const };
      await updateAddon(tx, accountId, archived);
      return addonToWire(archived);
    }),
});
