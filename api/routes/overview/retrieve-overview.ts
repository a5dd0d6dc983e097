import { localDateAt } from '../../../core/instants.ts';
import { loadOverview } from '../../../services/overview/load-overview.ts';
import { overviewDays, overviewQuery, overviewToWire, overviewWire } from '../../../wire/overview/overview.ts';
import { operation } from '../../operation.ts';

export const retrieveOverview = operation({
  id: 'retrieveOverview',
  method: 'get',
  path: '/api/overview',
  tag: 'Overview',
  summary: 'The account at a glance: recurring revenue, invoices, receivables, events, what closes next',
  description: 'Days are of UTC, from start to before end, 366 at most; without them the last 30, with today.',
  scope: 'read',
  query: overviewQuery,
  success: 200,
  response: overviewWire,
  run: async ({ caller: { accountId }, query, now }, dependencies) => {
    const days = overviewDays(query, localDateAt(now, 'UTC'));
    return overviewToWire(await loadOverview(dependencies, accountId, days, now));
  },
});
