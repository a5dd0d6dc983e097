import { notFound } from '../../../core/domain-error.ts';
import { checkAccess } from '../../../services/entitlements/check-access.ts';
import { metricAccessQuery, metricAccessToWire, metricAccessWire } from '../../../wire/access.ts';
import { operation } from '../../operation.ts';

export const metricAccess = operation({
  id: 'checkMetricAccess',
  method: 'get',
  path: '/api/metric-access',
  tag: 'Access',
  summary: 'Whether a customer may use what a metric measures',
  description:
    "By the customer's active and paused subscriptions: there is access where a plan bills the metric, or where a feature's limit for it is not reached. A switch, pause or cancel shows at once, a tracked event within a second.",
  scope: 'read',
  query: metricAccessQuery,
  success: 200,
  response: metricAccessWire,
  errors: [404],
  run: async ({ caller: { accountId }, query, now }, { access }) => {
    const { customer_id: customerId, metric_id: metricId } = query;
    const { metric, ...decided } = await checkAccess(access, accountId, { customerId, subject: { metricId } }, now);
    if (!metric) throw notFound(`metric ${metricId}`);
    return metricAccessToWire(metric, decided);
  },
});
