import { listAddons as listAddonPage } from '../../../sql/postgres/catalog/addons.ts';
import { addonToWire, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listAddons = operation({
  id: 'listAddons',
  method: 'get',
  path: '/api/addons',
  tag: 'Add-ons',
  summary: 'List add-ons, newest first',
  scope: 'read',
  query: pageQuery,
  success: 200,
  response: listOf(addonWire),
  run: ({ caller, listing, read }) =>
    read(async (tx) => listing.answer(await listAddonPage(tx, caller.accountId, listing.window), addonToWire)),
});
