import { z } from '@hono/zod-openapi';
import { BILLING_CALENDARS, type PlanCalendar, USAGE_PERIODS } from '../billing/periods/calendars.ts';
import { MAX_TRIAL_DAYS, triedBy } from '../billing/periods/trials.ts';
import type { Plan } from '../billing/subscriptions/subscription.ts';
import { isoFromInstant } from '../core/instants.ts';
import { componentInput, componentToWire, componentWire } from './catalog/components.ts';
import { currencyOptionsInput, currencyOptionsToWire, currencyOptionsWire } from './catalog/currency-options.ts';
import { featureInput, featureToWire, featureWire } from './catalog/features.ts';
import { limitInputs, limitsToWire, limitWires } from './catalog/limits.ts';
import { canCheckPlan, checkPlan } from './plan-checks.ts';
import {
  currencyCodeInput,
  decimalWire,
  instantWire,
  integerInput,
  metadataInput,
  metadataWire,
  nonNegativeInput,
  orNull,
  textInput,
} from './primitives.ts';

const TRIAL_DAYS =
  'Days of trial with which a subscription begins, 0 to 730: no fee, and billing periods follow. 0 and null: none.';
const TRIAL_USAGE = 'Whether usage is billed in a trial, too.';

const changeable = {
  name: textInput.openapi({ description: 'Display name of the plan.', example: 'Pro' }),
  recurring_fee: nonNegativeInput.openapi({ description: 'Fee of a period in major units.', example: 29 }),
  components: z
    .array(componentInput)
    .max(200)
    .openapi({ description: 'What usage costs: one component for each billed metric.' }),
  features: z.array(featureInput).max(200).openapi({ description: 'What the plan includes or limits.' }),
  charge_timing: z.enum(['in_arrears', 'in_advance'], 'Must be in_arrears or in_advance.').openapi({
    description: 'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
    example: 'in_arrears',
  }),
  ...limitInputs('plan'),
  currency_options: currencyOptionsInput,
  trial_days: orNull(integerInput(0, MAX_TRIAL_DAYS)).optional().openapi({ description: TRIAL_DAYS, example: 14 }),
  bill_usage_in_trial: z.boolean().optional().openapi({ description: TRIAL_USAGE, example: false }),
};

const CALENDAR =
  'What periods are counted by: fixed_days; anniversary, months from the start date; calendar, months from anchor_day on. Fixed for the life of a plan.';
const ANCHOR_DAY =
  'The day of the month on which periods start by calendar, by default 1; in a month that lacks it, its last day. Null by other calendars.';

const USAGE_PERIOD =
  "What components bill at once: billing_period, all of it; monthly, each month of it, with an invoice at the month's end. Fixed for the life of a plan.";

/** Body of POST /api/plans (spec/plans#versions). */
export const planCreate = z
  .strictObject({
    ...changeable,
    recurring_fee: changeable.recurring_fee
      .optional()
      .openapi({ description: 'Fee of a period in major units.', example: 29 }),
    components: changeable.components
      .default([])
      .openapi({ description: 'What usage costs: one component for each billed metric.' }),
    features: changeable.features.default([]).openapi({ description: 'What the plan includes or limits.' }),
    charge_timing: changeable.charge_timing.default('in_arrears').openapi({
      description:
        'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
      example: 'in_arrears',
    }),
    billing_period: z
      .enum(['monthly', 'quarterly', 'annual', 'yearly'], {
        error: ({ input }) => (input === undefined ? undefined : 'Must be one of monthly, quarterly, annual.'),
      })
      .transform((period) => (period === 'yearly' ? 'annual' : period))
      .openapi({
        description: 'Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.',
        example: 'monthly',
      }),
    billing_calendar: z
      .enum(BILLING_CALENDARS, `Must be one of ${BILLING_CALENDARS.join(', ')}.`)
      .default('fixed_days')
      .openapi({ description: CALENDAR, example: 'calendar' }),
    anchor_day: orNull(integerInput(1, 31)).optional().openapi({ description: ANCHOR_DAY, example: 1 }),
    usage_period: z
      .enum(USAGE_PERIODS, `Must be one of ${USAGE_PERIODS.join(', ')}.`)
      .default('billing_period')
      .openapi({ description: USAGE_PERIOD, example: 'monthly' }),
    currency: currencyCodeInput
      .optional()
      .openapi({ description: "ISO 4217 code of its prices; by default the account's currency.", example: 'usd' }),
    metadata: metadataInput.default({}).openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .superRefine(checkPlan, { when: ({ value }) => canCheckPlan(value) })
  .openapi({
    example: {
      name: 'Pro',
      recurring_fee: 29,
      billing_period: 'monthly',
      components: [{ metric_id: 'metric_01jd3k9x', free_tier: 1000, overage_price: 0.002 }],
      features: [{ name: 'sso', included: true }],
    },
  });
export type PlanCreate = z.output<typeof planCreate>;

/** The trial that is offered, after what was before. */
export function planTrial(
  { trial_days: days, bill_usage_in_trial: billsUsage }: Pick<PlanUpdate, 'trial_days' | 'bill_usage_in_trial'>,
  before: Pick<Plan, 'trial'> = {},
): Pick<Plan, 'trial'> {
  return triedBy({
    days: days === undefined ? (before.trial?.days ?? null) : days,
    billsUsage: billsUsage ?? before.trial?.billsUsage ?? false,
  });
}

/** How the periods of a plan lie, as it was asked for. */
export function planCalendar(plan: PlanCreate): PlanCalendar {
  const { billing_period, billing_calendar, anchor_day, usage_period: usagePeriod } = plan;
  const anchorDay = billing_calendar === 'calendar' ? (anchor_day ?? 1) : null;
  return { billingPeriod: billing_period, billingCalendar: billing_calendar, anchorDay, usagePeriod };
}

/** Body of PATCH /api/plans/<id>: what it names makes the next version (spec/plans#versions). */
export const planUpdate = z
  .strictObject(changeable)
  .partial()
  .superRefine(checkPlan, { when: ({ value }) => canCheckPlan(value) })
  .openapi({ example: { recurring_fee: 39 } });
export type PlanUpdate = z.output<typeof planUpdate>;

/** `{plan_id}` in a path. */
export const planPath = z.object({
  plan_id: z.string().openapi({ description: 'Id of a plan.', example: 'plan_01jd3k9x' }),
});

export const PLAN_SYNONYMS = { payment_timing: 'charge_timing' };

export const planWire = z
  .object({
    plan_id: z.string().openapi({ description: 'Id of a plan.', example: 'plan_01jd3k9x' }),
    name: z.string().openapi({ description: 'Display name of the plan.', example: 'Pro' }),
    recurring_fee: decimalWire.openapi({ description: 'Fee of a period in major units.', example: 29 }),
    billing_period: z.enum(['monthly', 'quarterly', 'annual']).openapi({
      description: 'Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.',
      example: 'monthly',
    }),
    billing_calendar: z.enum(BILLING_CALENDARS).openapi({ description: CALENDAR, example: 'fixed_days' }),
    anchor_day: z.int().nullable().openapi({ description: ANCHOR_DAY, example: null }),
    usage_period: z.enum(USAGE_PERIODS).openapi({ description: USAGE_PERIOD, example: 'billing_period' }),
    currency: z.string().openapi({ description: 'ISO 4217 code of its prices, in lower case.', example: 'usd' }),
    charge_timing: z.enum(['in_arrears', 'in_advance']).openapi({
      description:
        'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
      example: 'in_arrears',
    }),
    components: z
      .array(componentWire)
      .openapi({ description: 'What usage costs: one component for each billed metric.' }),
    features: z.array(featureWire).openapi({ description: 'What the plan includes or limits.' }),
    ...limitWires('plan'),
    currency_options: currencyOptionsWire,
    trial_days: z.int().nullable().openapi({ description: TRIAL_DAYS, example: 14 }),
    bill_usage_in_trial: z.boolean().openapi({ description: TRIAL_USAGE, example: false }),
    version: z.int().openapi({ description: 'The version of the plan that this is: 1, 2, ...', example: 1 }),
    version_id: z.string().openapi({ description: 'Id of the version of the plan.', example: 'planv_01jd3k9x' }),
    status: z.enum(['active', 'archived']).openapi({
      description: 'archived: nobody can subscribe to it any more; who has it goes on.',
      example: 'active',
    }),
    created_at: instantWire.openapi({ description: 'When this version was made.' }),
    metadata: metadataWire.openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .openapi('Plan');

/** The plan, in one of its versions, as the API returns it. Its currency is the lower-case code (spec/api#currencies). */
export function planToWire(plan: Plan): z.infer<typeof planWire> {
  return {
    plan_id: plan.planId,
    name: plan.name,
    recurring_fee: plan.recurringFee,
    billing_period: plan.billingPeriod,
    billing_calendar: plan.billingCalendar,
    anchor_day: plan.anchorDay,
    usage_period: plan.usagePeriod,
    currency: plan.currency.toLowerCase(),
    charge_timing: plan.chargeTiming,
    components: plan.components.map(componentToWire),
    features: plan.features.map(featureToWire),
    ...limitsToWire(plan),
    currency_options: currencyOptionsToWire(plan),
    trial_days: plan.trial?.days ?? null,
    bill_usage_in_trial: plan.trial?.billsUsage ?? false,
    version: plan.version,
    version_id: plan.versionId,
    status: plan.status,
    created_at: isoFromInstant(plan.createdAt),
    metadata: plan.metadata,
  };
}
