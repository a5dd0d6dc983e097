import { listDifferences } from '../../../sql/postgres/invoices/parity.ts';
import { parityDifferenceToWire, parityDifferenceWire } from '../../../wire/parity.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

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
  run: ({ caller, listing, read }) =>
    read(async (tx) =>
      listing.answer(await listDifferences(tx, caller.accountId, listing.window), parityDifferenceToWire),
    ),
});
