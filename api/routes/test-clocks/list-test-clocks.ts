import { listTestClocks as listTestClockPage } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockToWire, testClockWire } from '../../../wire/test-clocks.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listTestClocks = operation({
  id: 'listTestClocks',
  method: 'get',
  path: '/api/test-clocks',
  tag: 'Test clocks',
  summary: 'List test clocks, newest first',
  scope: 'read',
  mode: 'test',
  query: pageQuery,
  success: 200,
  response: listOf(testClockWire),
  run: ({ caller: { accountId }, listing, read }) =>
    read(async (tx) => {
      const page = await listTestClockPage(tx, accountId, listing.window);
      return listing.answer(page, testClockToWire);
    }),
});
