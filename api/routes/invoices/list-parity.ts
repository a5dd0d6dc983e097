import { listDifferences } from '../../../sql/postgres/invoices/parity.ts';
import { parityDifferenceToWire, parityDifferenceWire } from '../../../wire/parity.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

export const listParity = operation({
  id: 'listParityDifferences',
  method: 'get',
  path: '/api/invoices/parity',
  tag: 'Invoices',
  summary: 'Where issued invoices come out otherwise when computed again; empty where all is well',
  description:
    'Every night issued invoices are computed again from their events, up to the position each line was counted to, and their plan versions. Usage of deleted customers is gone and is not counted again. An entry goes when a later check no longer finds it.',
  scope: 'read',
  query: pageQuery,
  success: 200,
  response: listOf(parityDifferenceWire),
  run: ({ caller, query, url, read }) =>
    read(async (tx) =>
      toPage(url, query, await listDifferences(tx, caller.accountId, windowOf(query)), parityDifferenceToWire),
    ),
});
