import { searchRecords } from '../../../services/overview/search-records.ts';
import { searchQuery, searchToWire, searchWire } from '../../../wire/overview/search.ts';
import { operation } from '../../operation.ts';

export const search = operation({
  id: 'searchRecords',
  method: 'get',
  path: '/api/search',
  tag: 'Overview',
  summary: 'Find a record by its id, its number or its name',
  description:
    'What has that very id or number comes first, then customers by beginnings of words, then plans, add-ons and metrics by a part of their name.',
  scope: 'read',
  query: searchQuery,
  success: 200,
  response: searchWire,
  run: async ({ caller: { accountId }, query }, dependencies) =>
    searchToWire(await searchRecords(dependencies, accountId, query.q)),
});
