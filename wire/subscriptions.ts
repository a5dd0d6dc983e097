import { z } from '@hono/zod-openapi';
import type { SubscriptionRecord } from '../billing/subscriptions/subscription.ts';
import { isLocalDate, isoFromInstant, isoOrNull } from '../core/instants.ts';
import { addonSubscriptionToWire, addonSubscriptionWire } from './addons.ts';
import { momentInput } from './moments.ts';
import {
  dateInput,
  dateWire,
  decimalWire,
  instantWire,
  integerInput,
  metadataInput,
  metadataWire,
  nonNegativeInput,
  textInput,
} from './primitives.ts';

export const SUBSCRIPTION_STATUSES = ['pending', 'active', 'paused', 'canceled', 'expired'] as const;

/** Units prepaid for metrics that the plan bills, each at most once (spec/prepaid-units#changes). */
const prepaidUnitsInput = z
  .array(z.strictObject({ metric_id: textInput, units: nonNegativeInput }))
  .max(100)
  .superRefine((prepaid, context) => {
    const metrics = prepaid.map(({ metric_id }) => metric_id);
    for (const [i, metric] of metrics.entries()) {
      if (metrics.indexOf(metric) === i) continue;
      context.addIssue({ code: 'custom', path: [i, 'metric_id'], message: 'Is already listed.' });
    }
  });

/** Body of POST /api/subscriptions (spec/subscriptions). */
export const subscriptionCreate = z.strictObject({
  customer_id: textInput,
  plan_id: textInput,
  // Periods are computed ahead of it, and calendars end with the year 9999.
  start_date: dateInput.refine((date) => date < '9000', 'Must be before the year 9000.').optional(),
  end_date: dateInput.refine((date) => date < '9000', 'Must be before the year 9000.').optional(),
  auto_renew: z.boolean().default(true),
  version: integerInput(1, 1_000_000).optional(),
  prepaid_units: prepaidUnitsInput.default([]),
  metadata: metadataInput.default({}),
});

/** Body of PATCH /api/subscriptions/<id> (spec/subscriptions); `metadata` replaces what was there. */
export const subscriptionUpdate = z.strictObject({
  auto_renew: z.boolean().optional(),
  metadata: metadataInput.optional(),
});

/** Body of POST /api/subscriptions/<id>/cancel (spec/subscriptions#cancel). */
export const subscriptionCancel = z.strictObject({
  flat_fee_behavior: z.enum(['charge_prorated', 'charge_full', 'refund']).default('charge_prorated'),
  bill_usage: z.boolean().default(true),
  invoicing_behavior: z.enum(['add_to_next_invoice', 'invoice_now']).default('add_to_next_invoice'),
  cancel_at: z
    .string()
    .refine(
      (text) => text === 'immediately' || text === 'end_of_period' || (isLocalDate(text) && text < '9000'),
      'Must be immediately, end_of_period, or a date such as 2026-11-20.',
    )
    .nullable()
    .default('immediately'),
});
export const CANCEL_SYNONYMS = { effective_date: 'cancel_at' };

/** Body of POST /api/subscriptions/<id>/pause (spec/subscriptions#pause); a date means its first instant in the customer's zone. */
export const subscriptionPause = z.strictObject({
  resumes_at: momentInput.nullable().default(null),
  reason: z.string().max(500).nullable().default(null),
});

/** Body of POST /api/subscriptions/<id>/components/change-prepaid-units (spec/prepaid-units#changes). */
export const prepaidUnitsChange = z.strictObject({
  metric_id: textInput,
  units: nonNegativeInput,
  invoicing_behavior: z.enum(['add_to_next_invoice', 'invoice_now']).default('add_to_next_invoice'),
});

/** `{subscription_id}` in a path. */
export const subscriptionPath = z.object({ subscription_id: z.string() });

/** A step of a subscription's life, past or planned (spec/subscriptions#timeline). */
export const timelineStepWire = z
  .object({
    at: instantWire,
    kind: z.string().openapi({ example: 'renewed' }),
    status: z.enum(['done', 'planned']),
    detail: z.string(),
    invoice_id: z.string().nullable(),
  })
  .openapi('TimelineStep');

/** A switch that is planned, as it was asked for (spec/subscriptions#switch). */
const pendingChangeWire = z.object({
  new_plan_id: z.string(),
  effective_date: dateWire.openapi({ description: 'The day on which it happens.' }),
  invoicing_behavior: z.enum(['add_to_next_invoice', 'invoice_now']),
  usage_behavior: z.enum(['transfer_to_new_subscription', 'reset_usage']),
});

export const subscriptionWire = z
  .object({
    subscription_id: z.string(),
    customer_id: z.string(),
    plan_id: z.string(),
    version: z.int(),
    version_id: z.string(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    start_date: dateWire,
    end_date: dateWire.nullable(),
    auto_renew: z.boolean(),
    billing_period: z.enum(['monthly', 'quarterly', 'annual']),
    charge_timing: z.enum(['in_arrears', 'in_advance']),
    current_period_start: instantWire.nullable(),
    current_period_end: instantWire.nullable(),
    days_in_period: z.int(),
    cancel_at: instantWire.nullable(),
    canceled_at: instantWire.nullable(),
    cancel_reason: z.string().nullable(),
    paused_at: instantWire.nullable(),
    pending_change: pendingChangeWire.nullable(),
    addons: z.array(addonSubscriptionWire),
    prepaid_units: z.array(
      z.object({ metric_id: z.string(), units: decimalWire, used: decimalWire, remaining: decimalWire }),
    ),
    previous_subscription_id: z.string().nullable(),
    replaced_by: z.string().nullable(),
    created_at: instantWire,
    metadata: metadataWire,
  })
  .openapi('Subscription');

export type SubscriptionWire = z.infer<typeof subscriptionWire>;

/** The subscription as the API returns it, and as webhook events carry it. */
export function subscriptionToWire(subscription: SubscriptionRecord): SubscriptionWire {
  return {
    subscription_id: subscription.subscriptionId,
    customer_id: subscription.customerId,
    plan_id: subscription.planId,
    version: subscription.version,
    version_id: subscription.versionId,
    status: subscription.status,
    start_date: subscription.startDate,
    end_date: subscription.endDate,
    auto_renew: subscription.autoRenew,
    billing_period: subscription.billingPeriod,
    charge_timing: subscription.chargeTiming,
    current_period_start: isoOrNull(subscription.currentPeriod.startsAt),
    current_period_end: isoOrNull(subscription.currentPeriod.endsAt),
    days_in_period: subscription.currentPeriod.days,
    cancel_at: isoOrNull(subscription.cancelAt),
    canceled_at: isoOrNull(subscription.canceledAt),
    cancel_reason: subscription.cancelReason,
    paused_at: isoOrNull(subscription.pausedAt),
    pending_change: subscription.pendingChange,
    addons: subscription.addons.map(addonSubscriptionToWire),
    prepaid_units: subscription.prepaidUnits.map(({ metricId, units, used, remaining }) => ({
      metric_id: metricId,
      units,
      used,
      remaining,
    })),
    previous_subscription_id: subscription.previousSubscriptionId,
    replaced_by: subscription.replacedBy,
    created_at: isoFromInstant(subscription.createdAt),
    metadata: subscription.metadata,
  };
}
