import { loadMetricUsage } from '../../../services/usage/metric-usage.ts';
import { metricUsageQuery, metricUsageToWire, metricUsageWire } from '../../../wire/metric-usage.ts';
import { metricPath } from '../../../wire/metrics.ts';
import { operation } from '../../operation.ts';

export const metricUsage = operation({
  id: 'retrieveMetricUsage',
  method: 'get',
  path: '/api/metrics/{metric_id}/usage',
  tag: 'Metrics',
  summary: "A metric's value for a customer, in all or by day, hour and property",
  description:
    'start is inclusive, end exclusive; a date is the start of that day in the time zone of the customer. With group_by the ' +
    'results are the pairs of bucket and group that occur, of each bucket the largest values first; groups are told one by one ' +
    'up to limit, the rest of a bucket is its last row, with `other: true`.',
  scope: 'read',
  params: metricPath,
  query: metricUsageQuery,
  success: 200,
  response: metricUsageWire,
  errors: [503],
  run: async ({ caller: { accountId }, params, query }, dependencies) => {
    const ids = { accountId, metricId: params.metric_id, customerId: query.customer_id };
    return metricUsageToWire(await loadMetricUsage(dependencies, ids, query));
  },
});
