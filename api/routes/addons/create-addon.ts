import { createAddon as create } from '../../../services/addons/create-addon.ts';
import { addonCreate, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';

export const createAddon = operation({
  id: 'createAddon',
  method: 'post',
  path: '/api/addons',
  tag: 'Add-ons',
  summary: 'Create an add-on',
  description: '`one_time` is charged once, `recurring` every period, `quantity` every period by price times quantity.',
  scope: 'write',
  audit: 'addon.created',
  body: addonCreate,
  success: 201,
  response: addonWire,
  run: ({ caller, body, now, write }) => write((tx) => create(tx, caller.accountId, body, now)),
});
