import { listAddons as listAddonPage } from '../../../sql/postgres/catalog/addons.ts';
import { addonToWire, addonWire } from '../../../wire/addons.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

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
  run: ({ caller, query, url, read }) =>
    read(async (tx) => toPage(url, query, await listAddonPage(tx, caller.accountId, windowOf(query)), addonToWire)),
});
