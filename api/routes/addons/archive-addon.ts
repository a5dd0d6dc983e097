import { archiveAddon as archive } from '../../../services/addons/archive-addon.ts';
import { addonPath, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';

export const archiveAddon = operation({
  id: 'archiveAddon',
  method: 'post',
  path: '/api/addons/{addon_id}/archive',
  tag: 'Add-ons',
  summary: 'Archive an add-on: it can no longer be attached',
  description: 'Subscriptions that have it attached keep it, and are charged for it.',
  scope: 'write',
  audit: 'addon.archived',
  params: addonPath,
  success: 200,
  response: addonWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { addon_id: addonId }, write }) =>
    write((tx) => archive(tx, { accountId, addonId })),
});
