import { z } from '@hono/zod-openapi';
import type { Metric } from '../billing/catalog/metrics.ts';
import type { Access, SubscriptionAccess } from '../billing/entitlements/access.ts';
import type { Customer } from '../billing/subscriptions/subscription.ts';
import { isFields } from '../core/fields.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../core/instants.ts';
import { dateWire, decimalWire, instantWire, orNull, textInput } from './primitives.ts';

/** Query of GET /api/metric-access (spec/access#answer). */
export const metricAccessQuery = z.object({
  customer_id: textInput.openapi({ description: 'The customer who wants to use it.', example: 'acme' }),
  metric_id: textInput.openapi({ description: 'The metric that would be used.', example: 'metric_01jd3k9x' }),
});

/** Query of GET /api/feature-access (spec/access#features): the feature by its name or by its id. */
export const featureAccessQuery = z
  .object({
    customer_id: textInput.openapi({ description: 'The customer who wants to use it.', example: 'acme' }),
    feature_name: textInput
      .optional()
      .openapi({ description: "The feature's name; or name it by feature_id.", example: 'sso' }),
    feature_id: textInput
      .optional()
      .openapi({ description: "The feature's id; or name it by feature_name.", example: 'feat_01jd3k9x' }),
  })
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

/** What was decided, in figures. */
const decision = {
  access: z
    .boolean()
    .openapi({ description: 'Whether the customer may use it now, by any of its subscriptions.', example: true }),
  reason: z.union([z.enum(REASONS), z.null()]).openapi({
    description: 'Why there is no access, or `paused`; null where an active subscription gives it.',
    example: null,
  }),
  usage: orNull(decimalWire).openapi({
    description: 'Usage in the current period of the subscription that gives access; null where nothing is measured.',
    example: 42,
  }),
  limit: orNull(decimalWire).openapi({
    description: 'The most that may be used in a period; null: unlimited, or nothing is measured.',
    example: 100,
  }),
  remaining: orNull(decimalWire).openapi({
    description: 'What of the limit is left, 0 or more; null where there is no limit.',
    example: 58,
  }),
  resets_at: instantWire.nullable().openapi({
    description: 'When usage starts anew: the end of the current period.',
    example: '2026-12-20T00:00:00.000Z',
  }),
};

const frame = {
  ...decision,
  as_of: instantWire.openapi({ description: 'Usage accepted up to this time is counted.' }),
  access_per_subscription: z
    .array(
      z
        .object({
          subscription: z
            .object({
              subscription_id: z.string().openapi({ description: 'Id of a subscription.', example: 'sub_01jd3k9x' }),
              plan_id: z.string().openapi({ description: 'The plan of the subscription.', example: 'plan_01jd3k9x' }),
              version: z
                .int()
                .openapi({ description: 'The version of the plan that the subscription is on.', example: 1 }),
              start_date: dateWire.openapi({
                description: "First day of the subscription, in the customer's time zone.",
              }),
              end_date: dateWire.nullable().openapi({
                description: 'Day on which the subscription ends by plan; null: none is planned.',
                example: null,
              }),
            })
            .openapi({ description: 'The subscription that this entry is about.' }),
          metric_usage: orNull(decimalWire).openapi({
            description:
              "Usage in the subscription's current period; null where its plan names nothing that is measured.",
            example: 42,
          }),
          metric_free_limit: orNull(decimalWire).openapi({
            description: 'Units included at no cost; null where nothing bills the metric.',
            example: null,
          }),
          metric_total_limit: orNull(decimalWire).openapi({
            description: "The feature's limit; null: unlimited.",
            example: 100,
          }),
          access: z.boolean().openapi({
            description: 'Whether the customer may use it now, by any of its subscriptions.',
            example: true,
          }),
        })
        .openapi('SubscriptionAccess'),
    )
    .openapi({ description: 'The same for each active or paused subscription, oldest first.' }),
};

const customerWire = z.object({
  customer_id: z.string().openapi({ description: 'Id of the customer, chosen by you.', example: 'acme' }),
  customer_name: z.string().openapi({ description: 'Display name, as invoices show it.', example: 'Acme Inc.' }),
  email: z.string().openapi({ description: 'Primary billing address.', example: 'billing@acme.example' }),
});

export const metricAccessWire = z
  .object({
    customer: customerWire.openapi({ description: 'Whom the answer is about.' }),
    metric: z
      .object({
        metric_id: z.string().openapi({ description: 'Id of a metric.', example: 'metric_01jd3k9x' }),
        metric_name: z
          .string()
          .openapi({ description: 'Display name of a metric; need not be unique.', example: 'API calls' }),
        event_name: z
          .string()
          .nullable()
          .openapi({ description: 'Which events count; null means all.', example: 'api_call' }),
      })
      .openapi({ description: 'The metric that was asked about.' }),
    ...frame,
  })
  .openapi('MetricAccess');

export const featureAccessWire = z
  .object({
    customer: customerWire.openapi({ description: 'Whom the answer is about.' }),
    feature: z
      .object({
        feature_id: z
          .string()
          .openapi({ description: 'Id of a feature: one for each name in the account.', example: 'feat_01jd3k9x' }),
        name: z.string().openapi({ description: 'Name of the feature.', example: 'sso' }),
      })
      .openapi({ description: 'The feature that was asked about.' }),
    ...frame,
  })
  .openapi('FeatureAccess');

/** One of the things that a customer's plans name, and whether it may be used (spec/access#all). */
export const accessEntryWire = z
  .object({
    type: z.enum(['feature', 'metric']).openapi({ description: 'What it is.', example: 'feature' }),
    id: z.string().openapi({ description: 'Id of the feature or of the metric.', example: 'feat_01jd3k9x' }),
    name: z.string().openapi({ description: 'Its name.', example: 'sso' }),
    ...decision,
  })
  .openapi('AccessEntry');

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

/** What was decided of one thing among all that a customer's plans name, as the API returns it. */
export function accessEntryToWire({
  type,
  id,
  name,
  checked,
}: {
  type: 'feature' | 'metric';
  id: string;
  name: string;
  checked: Pick<Decided, 'access'>;
}): z.infer<typeof accessEntryWire> {
  return { type, id, name, ...decisionToWire(checked.access) };
}

function decisionToWire({ access, reason, usage, limit, remaining, resetsAt }: Access) {
  return { access, reason, usage, limit, remaining, resets_at: isoOrNull(resetsAt) };
}

function frameToWire({ access, asOf }: Decided) {
  return {
    ...decisionToWire(access),
    as_of: isoFromInstant(asOf),
    access_per_subscription: access.perSubscription.map(perSubscriptionToWire),
  };
}

function perSubscriptionToWire({ subscription, entitlement, usage, access }: SubscriptionAccess) {
  return {
    subscription: {
      subscription_id: subscription.subscriptionId,
      plan_id: subscription.planId,
      version: subscription.agreement?.basedOn.version ?? subscription.version,
      start_date: subscription.startDate,
      end_date: subscription.endDate,
    },
    metric_usage: usage,
    metric_free_limit: entitlement?.freeLimit ?? null,
    metric_total_limit: entitlement?.limit ?? null,
    access,
  };
}
