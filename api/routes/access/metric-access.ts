import { notFound } from '../../../core/domain-error.ts';
import { metricAccessQuery, metricAccessToWire, metricAccessWire } from '../../../wire/access.ts';
import { checkAccess } from '../../access/check-access.ts';
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
  run: async (call, { access }) => {
    const { customer_id: customerId, metric_id: metricId } = call.query;
    const { metric, ...decided } = await checkAccess(call, access, { customerId, subject: { metricId } });
    if (!metric) throw notFound(`metric ${metricId}`);
    return metricAccessToWire(metric, decided);
  },
});
