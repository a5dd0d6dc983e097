import { listMetrics as listMetricPage } from '../../../sql/postgres/catalog/metrics.ts';
import { metricToWire, metricWire } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listMetrics = operation({
  id: 'listMetrics',
  method: 'get',
  path: '/api/metrics',
  tag: 'Metrics',
  summary: 'List metrics, newest first',
  scope: 'read',
  query: pageQuery,
  success: 200,
  response: listOf(metricWire),
  run: ({ caller, listing, read }) =>
    read(async (tx) => listing.answer(await listMetricPage(tx, caller.accountId, listing.window), metricToWire)),
});
