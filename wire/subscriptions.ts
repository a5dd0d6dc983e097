import { z } from '@hono/zod-openapi';
import type { Overrides } from '../billing/subscriptions/agreement.ts';
import { phasesToCome } from '../billing/subscriptions/phases.ts';
import type { PlannedSwitch, SubscriptionRecord } from '../billing/subscriptions/subscription.ts';
import { daysBetween, isLocalDate, isoFromInstant, isoOrNull } from '../core/instants.ts';
import { addonSubscriptionToWire, addonSubscriptionWire } from './addons.ts';
import { overridesToWire, overridesWire } from './catalog/overrides.ts';
import { momentInput } from './moments.ts';
import {
  dateInput,
  dateWire,
  decimalWire,
  instantWire,
  metadataInput,
  metadataWire,
  nonNegativeInput,
  textInput,
} from './primitives.ts';
import { phaseToWire, phaseWire } from './subscriptions/phases.ts';

export const SUBSCRIPTION_STATUSES = ['pending', 'active', 'paused', 'canceled', 'expired'] as const;

/** Body of PATCH /api/subscriptions/<id> (spec/subscriptions); `metadata` replaces what was there. */
export const subscriptionUpdate = z
  .strictObject({
    auto_renew: z.boolean().optional().openapi({
      description: 'Whether another period follows; if not, the subscription expires at the end of the current one.',
      example: true,
    }),
    trial_ends_at: dateInput
      .refine((date) => date < '9000', 'Must be before the year 9000.')
      .optional()
      .openapi({
        description:
          'Another day for the trial that goes on to end: after today, at most 730 days after the start date.',
        example: '2026-12-11',
      }),
    metadata: metadataInput.optional().openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .openapi({ example: { auto_renew: false } });
export type SubscriptionUpdate = z.output<typeof subscriptionUpdate>;

/** Body of POST /api/subscriptions/<id>/cancel (spec/subscriptions#cancel). */
export const subscriptionCancel = z
  .strictObject({
    flat_fee_behavior: z.enum(['charge_prorated', 'charge_full', 'refund']).default('charge_prorated').openapi({
      description: 'How the fee of the current period is treated: charge_prorated, charge_full or refund.',
      example: 'charge_prorated',
    }),
    bill_usage: z
      .boolean()
      .default(true)
      .openapi({ description: 'Whether usage up to the cancel is billed.', example: true }),
    invoicing_behavior: z
      .enum(['add_to_next_invoice', 'invoice_now'])
      .default('add_to_next_invoice')
      .openapi({ description: 'Whether it is billed with the next invoice or now.', example: 'add_to_next_invoice' }),
    cancel_at: z
      .string()
      .refine(
        (text) => text === 'immediately' || text === 'end_of_period' || (isLocalDate(text) && text < '9000'),
        'Must be immediately, end_of_period, or a date such as 2026-11-20.',
      )
      .nullable()
      .default('immediately')
      .openapi({
        description: '`immediately`, `end_of_period` or a date; null withdraws a planned cancel. Also: effective_date.',
        example: 'end_of_period',
      }),
  })
  .openapi({ example: { cancel_at: 'end_of_period' } });
export type SubscriptionCancel = z.output<typeof subscriptionCancel>;
export const CANCEL_SYNONYMS = { effective_date: 'cancel_at' };

/** Body of POST /api/subscriptions/<id>/pause (spec/subscriptions#pause); a date means its first instant in the customer's zone. */
export const subscriptionPause = z
  .strictObject({
    resumes_at: momentInput
      .nullable()
      .default(null)
      .openapi({
        type: ['string', 'null'],
        description: 'When it goes on by itself: a date or a date-time; null: when it is resumed.',
        example: null,
      }),
    reason: z
      .string()
      .max(500)
      .nullable()
      .default(null)
      .openapi({ description: 'Why it is paused, in your words.', example: 'seasonal' }),
  })
  .openapi({ example: { reason: 'seasonal' } });
export type SubscriptionPause = z.output<typeof subscriptionPause>;

/** Body of POST /api/subscriptions/<id>/components/change-prepaid-units (spec/prepaid-units#changes). */
export const prepaidUnitsChange = z
  .strictObject({
    metric_id: textInput.openapi({ description: 'A metric that the plan bills.', example: 'metric_01jd3k9x' }),
    units: nonNegativeInput.openapi({ description: 'Units to be paid ahead each period from now on.', example: 5000 }),
    invoicing_behavior: z.enum(['add_to_next_invoice', 'invoice_now']).default('add_to_next_invoice').openapi({
      description: 'Whether what more units cost is billed with the next invoice or now.',
      example: 'add_to_next_invoice',
    }),
  })
  .openapi({
    example: {
      metric_id: 'metric_01jd3k9x',
      units: 5000,
    },
  });
export type PrepaidUnitsChange = z.output<typeof prepaidUnitsChange>;

/** `{subscription_id}` in a path. */
export const subscriptionPath = z.object({
  subscription_id: z.string().openapi({ description: 'Id of a subscription.', example: 'sub_01jd3k9x' }),
});

/** Which workflow carries a subscription (spec/subscriptions#workflow). */
export const subscriptionWorkflowWire = z
  .object({
    workflow_id: z
      .string()
      .openapi({ description: "The workflow's id in Temporal.", example: 'subscription/acct_01jd3k9x/sub_01jd3k9x' }),
    namespace: z.string().openapi({ description: 'The namespace that the workflow is in.', example: 'default' }),
    url: z.union([z.string(), z.null()]).openapi({
      description: "The workflow's page in Temporal's UI; null where the service was not told where that is.",
      example: 'http://127.0.0.1:8233/namespaces/default/workflows/subscription%2Facct_01jd3k9x%2Fsub_01jd3k9x',
    }),
  })
  .openapi('SubscriptionWorkflow');

/** A step of a subscription's life, past or planned (spec/subscriptions#timeline). */
export const timelineStepWire = z
  .object({
    at: instantWire.openapi({ description: 'When it happened, or is planned to happen.' }),
    kind: z.string().openapi({ description: 'What happened, or will.', example: 'renewed' }),
    status: z.enum(['done', 'planned']).openapi({ description: 'done, or planned as things stand.', example: 'done' }),
    detail: z
      .string()
      .openapi({ description: 'The step in words.', example: 'Period 2 from 2026-12-20 to 2027-01-19' }),
    invoice_id: z
      .string()
      .nullable()
      .openapi({ description: 'The invoice that it made; null where it made none.', example: null }),
    due_at: instantWire.nullable().openapi({
      description: 'When the pending invoice of a period that has ended is made; null in every other step.',
      example: null,
    }),
  })
  .openapi('TimelineStep');

/** A switch that is planned, as it was asked for (spec/subscriptions#switch). */
const pendingChangeWire = z.object({
  new_plan_id: z.string().openapi({ description: 'The plan it switches to.', example: 'plan_01jd3k9y' }),
  effective_date: dateWire.openapi({ description: 'The day on which it happens.' }),
  invoicing_behavior: z
    .enum(['add_to_next_invoice', 'invoice_now'])
    .openapi({ description: 'Whether it is billed with the next invoice or now.', example: 'add_to_next_invoice' }),
  usage_behavior: z.enum(['transfer_to_new_subscription', 'reset_usage']).openapi({
    description: 'Whether usage of the whole period is rated by the new plan, or the new one starts at zero.',
    example: 'transfer_to_new_subscription',
  }),
  overrides: z
    .union([overridesWire, z.null()])
    .openapi({ description: 'What is agreed on for then instead of what the plan says; null: nothing.' }),
});

export const subscriptionWire = z
  .object({
    subscription_id: z.string().openapi({ description: 'Id of a subscription.', example: 'sub_01jd3k9x' }),
    customer_id: z.string().openapi({ description: 'Who subscribes.', example: 'acme' }),
    plan_id: z.string().openapi({ description: 'The plan that it is on.', example: 'plan_01jd3k9x' }),
    version: z.int().openapi({ description: 'The version of the plan that it is on.', example: 1 }),
    version_id: z.string().openapi({ description: 'Id of that version.', example: 'planv_01jd3k9x' }),
    currency: z
      .string()
      .openapi({ description: 'ISO 4217 code of what it is billed in, in lower case.', example: 'usd' }),
    overrides: z
      .union([overridesWire, z.null()])
      .openapi({ description: 'What is agreed on instead of what the plan says; null: nothing.' }),
    status: z.enum(SUBSCRIPTION_STATUSES).openapi({
      description: 'pending: not begun; active; paused: nothing is billed; canceled and expired: it has ended.',
      example: 'active',
    }),
    start_date: dateWire.openapi({ description: "First day, in the customer's time zone." }),
    trial_days: z.int().nullable().openapi({ description: 'Days of its trial; null: it has none.', example: null }),
    trial_ends_at: dateWire.nullable().openapi({
      description: 'The day on which its trial ends, or ended, and billing periods begin; null: it has none.',
      example: null,
    }),
    end_date: dateWire.nullable().openapi({
      description: 'The day on which the subscription ends by plan; null: none is planned.',
      example: null,
    }),
    auto_renew: z.boolean().openapi({
      description: 'Whether another period follows; if not, the subscription expires at the end of the current one.',
      example: true,
    }),
    billing_period: z.enum(['monthly', 'quarterly', 'annual']).openapi({
      description: 'Length of a period: monthly is 30 days, quarterly 90, annual 365.',
      example: 'monthly',
    }),
    charge_timing: z.enum(['in_arrears', 'in_advance']).openapi({
      description:
        'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
      example: 'in_arrears',
    }),
    current_period_start: instantWire
      .nullable()
      .openapi({ description: 'Where the current billing period begins.', example: '2026-11-20T00:00:00.000Z' }),
    current_period_end: instantWire.nullable().openapi({
      description: 'Where the current billing period ends, exclusive.',
      example: '2026-12-20T00:00:00.000Z',
    }),
    current_usage_period_start: instantWire.nullable().openapi({
      description:
        'Where that begins which components bill next: the billing period, or with usage_period monthly the month.',
      example: '2026-11-20T00:00:00.000Z',
    }),
    current_usage_period_end: instantWire
      .nullable()
      .openapi({ description: 'Where it ends, exclusive.', example: '2026-12-20T00:00:00.000Z' }),
    days_in_period: z.int().openapi({
      description:
        'What a day of the current period is a part of: its days; of a shorter first one of a calendar, those of the whole one.',
      example: 30,
    }),
    cancel_at: instantWire
      .nullable()
      .openapi({ description: 'When a planned cancel happens; null where none is planned.', example: null }),
    canceled_at: instantWire.nullable().openapi({ description: 'When it ended; null until then.', example: null }),
    cancel_reason: z
      .string()
      .nullable()
      .openapi({ description: 'Why it ended: canceled, expired or switched; null until then.', example: null }),
    paused_at: instantWire
      .nullable()
      .openapi({ description: 'Since when it has been paused; null where it is not.', example: null }),
    pending_change: pendingChangeWire
      .nullable()
      .openapi({ description: 'A switch that is planned; null where none is.' }),
    phases: z
      .array(phaseWire)
      .openapi({ description: 'What is agreed on for later dates and has not begun, in their order.' }),
    addons: z.array(addonSubscriptionWire).openapi({ description: 'Add-ons that are attached.' }),
    prepaid_units: z
      .array(
        z.object({
          metric_id: z
            .string()
            .openapi({ description: 'The metric whose units are paid ahead.', example: 'metric_01jd3k9x' }),
          units: decimalWire.openapi({ description: 'Units paid ahead each period.', example: 1000 }),
          used: decimalWire.openapi({ description: 'Units used in the current period.', example: 100 }),
          remaining: decimalWire.openapi({
            description: 'Units of them that are left in the current period, 0 or more.',
            example: 900,
          }),
        }),
      )
      .openapi({ description: 'Units paid ahead by metric, and what of them is used in the current period.' }),
    previous_subscription_id: z
      .string()
      .nullable()
      .openapi({ description: 'The subscription that this one replaced by a switch.', example: null }),
    replaced_by: z
      .string()
      .nullable()
      .openapi({ description: 'The subscription that replaced this one by a switch.', example: null }),
    created_at: instantWire.openapi({ description: 'When the subscription was made; in clock time on a test clock.' }),
    metadata: metadataWire.openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .openapi('Subscription');

export type SubscriptionWire = z.infer<typeof subscriptionWire>;

/** The subscription as the API returns it, and as webhook events carry it. */
export function subscriptionToWire(subscription: SubscriptionRecord): SubscriptionWire {
  return {
    subscription_id: subscription.subscriptionId,
    customer_id: subscription.customerId,
    plan_id: subscription.planId,
    version: subscription.agreement?.basedOn.version ?? subscription.version,
    version_id: subscription.agreement?.basedOn.versionId ?? subscription.versionId,
    currency: subscription.currency.toLowerCase(),
    overrides: overridesOrNull(subscription.agreement?.overrides),
    status: subscription.status,
    start_date: subscription.startDate,
    trial_days: trialDaysOf(subscription),
    trial_ends_at: subscription.trialEndsOn,
    end_date: subscription.endDate,
    auto_renew: subscription.autoRenew,
    billing_period: subscription.billingPeriod,
    charge_timing: subscription.chargeTiming,
    current_period_start: isoOrNull(subscription.currentPeriod.billing.startsAt),
    current_period_end: isoOrNull(subscription.currentPeriod.billing.endsAt),
    current_usage_period_start: isoOrNull(subscription.currentPeriod.startsAt),
    current_usage_period_end: isoOrNull(subscription.currentPeriod.endsAt),
    days_in_period: subscription.currentPeriod.days,
    cancel_at: isoOrNull(subscription.plannedCancel?.at ?? null),
    canceled_at: isoOrNull(subscription.ended?.at ?? null),
    cancel_reason: subscription.ended?.reason ?? null,
    paused_at: isoOrNull(subscription.paused?.at ?? null),
    pending_change: subscription.plannedSwitch && pendingChangeToWire(subscription.plannedSwitch),
    phases: phasesToCome(subscription).map(phaseToWire),
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

function trialDaysOf({ startDate, trialEndsOn }: SubscriptionRecord): number | null {
  return trialEndsOn === null ? null : daysBetween(startDate, trialEndsOn);
}

function pendingChangeToWire({ newPlanId, effectiveDate, agreed, ...behavior }: PlannedSwitch) {
  const { invoicingBehavior: invoicing_behavior, usageBehavior: usage_behavior } = behavior;
  const overrides = overridesOrNull(agreed?.overrides);
  return { new_plan_id: newPlanId, effective_date: effectiveDate, invoicing_behavior, usage_behavior, overrides };
}

function overridesOrNull(overrides: Overrides | null | undefined) {
  return overrides ? overridesToWire(overrides) : null;
}
