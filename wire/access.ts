import { z } from '@hono/zod-openapi';
import type { Metric } from '../billing/catalog/metrics.ts';
import type { Access, SubscriptionAccess } from '../billing/entitlements/access.ts';
import type { Customer } from '../billing/subscriptions/subscription.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../core/instants.ts';
import { dateWire, decimalWire, instantWire, isFields, orNull, textInput } from './primitives.ts';

/** Query of GET /api/metric-access (spec/access#answer). */
export const metricAccessQuery = z.object({ customer_id: textInput, metric_id: textInput });

/** Query of GET /api/feature-access (spec/access#features): the feature by its name or by its id. */
export const featureAccessQuery = z
  .object({ customer_id: textInput, feature_name: textInput.optional(), feature_id: textInput.optional() })
  .refine((query) => query.feature_name !== undefined || query.feature_id !== undefined, {
    path: ['feature_name'],
    error: 'Required, or feature_id.',
    when: ({ value }) => isFields(value),
  })
  .refine((query) => query.feature_name === undefined || query.feature_id === undefined, {
    path: ['feature_id'],
    error: 'Names the feature as feature_name does; send one.',
    when: ({ value }) => isFields(value),
  });

const REASONS = ['no_subscription', 'not_in_plan', 'limit_reached', 'paused'] as const;

const frame = {
  access: z.boolean(),
  reason: z.union([z.enum(REASONS), z.null()]),
  usage: orNull(decimalWire),
  limit: orNull(decimalWire),
  remaining: orNull(decimalWire),
  resets_at: instantWire.nullable(),
  as_of: instantWire,
  access_per_subscription: z.array(
    z
      .object({
        subscription: z.object({
          subscription_id: z.string(),
          plan_id: z.string(),
          version: z.int(),
          start_date: dateWire,
          end_date: dateWire.nullable(),
        }),
        metric_usage: orNull(decimalWire),
        metric_free_limit: orNull(decimalWire),
        metric_total_limit: orNull(decimalWire),
        access: z.boolean(),
      })
      .openapi('SubscriptionAccess'),
  ),
};

const customerWire = z.object({ customer_id: z.string(), customer_name: z.string(), email: z.string() });

export const metricAccessWire = z
  .object({
    customer: customerWire,
    metric: z.object({ metric_id: z.string(), metric_name: z.string(), event_name: z.string().nullable() }),
    ...frame,
  })
  .openapi('MetricAccess');

export const featureAccessWire = z
  .object({ customer: customerWire, feature: z.object({ feature_id: z.string(), name: z.string() }), ...frame })
  .openapi('FeatureAccess');

/** What was decided, for whom, by usage up to when. */
type Decided = { customer: Customer; access: Access; asOf: Instant };

/** An answer about a metric as the API returns it. */
export function metricAccessToWire(metric: Metric, decided: Decided): z.infer<typeof metricAccessWire> {
  const { metricId: metric_id, metricName: metric_name, eventName: event_name } = metric;
  return { customer: customerToWire(decided), metric: { metric_id, metric_name, event_name }, ...frameToWire(decided) };
}

/** An answer about a feature as the API returns it. */
export function featureAccessToWire(
  { featureId, name }: { featureId: string; name: string },
  decided: Decided,
): z.infer<typeof featureAccessWire> {
  return { customer: customerToWire(decided), feature: { feature_id: featureId, name }, ...frameToWire(decided) };
}

function customerToWire({ customer }: Decided) {
  return { customer_id: customer.customerId, customer_name: customer.customerName, email: customer.email };
}

function frameToWire({ access, asOf }: Decided) {
  return {
    access: access.access,
    reason: access.reason,
    usage: access.usage,
    limit: access.limit,
    remaining: access.remaining,
    resets_at: isoOrNull(access.resetsAt),
    as_of: isoFromInstant(asOf),
    access_per_subscription: access.perSubscription.map(perSubscriptionToWire),
  };
}

function perSubscriptionToWire({ subscription, entitlement, usage, access }: SubscriptionAccess) {
  return {
    subscription: {
      subscription_id: subscription.subscriptionId,
      plan_id: subscription.planId,
      version: subscription.version,
      start_date: subscription.startDate,
      end_date: subscription.endDate,
    },
    metric_usage: usage,
    metric_free_limit: entitlement?.freeLimit ?? null,
    metric_total_limit: entitlement?.limit ?? null,
    access,
  };
}
