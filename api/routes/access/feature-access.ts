import { notFound } from '../../../core/domain-error.ts';
import { checkAccess } from '../../../services/entitlements/check-access.ts';
import { featureAccessQuery, featureAccessToWire, featureAccessWire } from '../../../wire/access.ts';
import { operation } from '../../operation.ts';

export const featureAccess = operation({
  id: 'checkFeatureAccess',
  method: 'get',
  path: '/api/feature-access',
  tag: 'Access',
  summary: 'Whether a customer has a feature',
  description:
    "The feature is named by feature_name or feature_id. By the customer's active and paused subscriptions: there is access where a plan includes the feature and, if it has a limit that a metric measures, the limit is not reached. A switch, pause or cancel shows at once, a tracked event within a second.",
  scope: 'read',
  query: featureAccessQuery,
  success: 200,
  response: featureAccessWire,
  errors: [404],
  run: async ({ caller: { accountId }, query, now }, { access }) => {
    const { customer_id: customerId, feature_name: featureName, feature_id: featureId = '' } = query;
    const subject = featureName === undefined ? { featureId } : { featureName };
    const { feature, ...decided } = await checkAccess(access, accountId, { customerId, subject }, now);
    if (!feature) throw notFound(`feature ${featureName ?? featureId}`);
    return featureAccessToWire(feature, decided);
  },
});
