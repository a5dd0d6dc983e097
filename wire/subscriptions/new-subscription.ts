import { z } from '@hono/zod-openapi';
import { MAX_TRIAL_DAYS } from '../../billing/periods/trials.ts';
import { overridesInput } from '../catalog/overrides.ts';
import { repeatedPlaces } from '../catalog/repeated-places.ts';
import { discountCreate } from '../discounts/discounts.ts';
import {
  currencyCodeInput,
  dateInput,
  integerInput,
  metadataInput,
  nonNegativeInput,
  textInput,
} from '../primitives.ts';
import { phasesInput } from './phases.ts';

/** Units prepaid for metrics that the plan bills, each at most once (spec/prepaid-units#changes). */
const prepaidUnitsInput = z
  .array(
    z.strictObject({
      metric_id: textInput.openapi({ description: 'A metric that the plan bills.', example: 'metric_01jd3k9x' }),
      units: nonNegativeInput.openapi({ description: 'Units of it to pay ahead, each period.', example: 5000 }),
    }),
  )
  .max(100)
  .superRefine((prepaid, context) => {
    for (const i of repeatedPlaces(prepaid.map(({ metric_id }) => metric_id))) {
      context.addIssue({ code: 'custom', path: [i, 'metric_id'], message: 'Is already listed.' });
    }
  });

/** Body of POST /api/subscriptions (spec/subscriptions). */
export const subscriptionCreate = z
  .strictObject({
    customer_id: textInput.openapi({ description: 'Who subscribes.', example: 'acme' }),
    plan_id: textInput.openapi({ description: 'The plan to subscribe to.', example: 'plan_01jd3k9x' }),
    // Periods are computed ahead of it, and calendars end with the year 9999.
    start_date: dateInput
      .refine((date) => date < '9000', 'Must be before the year 9000.')
      .optional()
      .openapi({ description: "First day, in the customer's time zone; without it today.", example: '2026-11-20' }),
    end_date: dateInput
      .refine((date) => date < '9000', 'Must be before the year 9000.')
      .optional()
      .openapi({ description: 'Day on which it ends; without it none is planned.', example: '2027-11-20' }),
    auto_renew: z.boolean().default(true).openapi({
      description: 'Whether another period follows; if not, the subscription expires at the end of the current one.',
      example: true,
    }),
    version: integerInput(1, 1_000_000)
      .optional()
      .openapi({ description: 'Version of the plan; without it the newest.', example: 1 }),
    currency: currencyCodeInput.optional().openapi({
      description: "One of the plan's currencies; without it the customer's. A customer has one currency at a time.",
      example: 'eur',
    }),
    overrides: overridesInput.optional().openapi({ description: 'What is agreed on instead of what the plan says.' }),
    prepaid_units: prepaidUnitsInput
      .default([])
      .openapi({ description: "Units to prepay by metric, in the place of the plan's." }),
    trial_days: integerInput(0, MAX_TRIAL_DAYS).optional().openapi({
      description: "Days of trial to begin with instead of the plan's; 0: none.",
      example: 14,
    }),
    trial_ends_at: dateInput
      .refine((date) => date < '9000', 'Must be before the year 9000.')
      .optional()
      .openapi({
        description:
          'The day on which the trial ends, instead of trial_days: after today, at most 730 days after the start date.',
        example: '2026-12-04',
      }),
    discounts: z
      .array(discountCreate)
      .max(20)
      .default([])
      .openapi({
        description: 'Coupons to redeem with it, in this order; the opening invoice is lowered already.',
        example: [{ code: 'LAUNCH-15' }],
      }),
    phases: phasesInput
      .default([])
      .openapi({ description: 'What is agreed on for later dates, up to 20, in their order.' }),
    metadata: metadataInput.default({}).openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .superRefine(({ trial_days, trial_ends_at }, context) => {
    if (trial_days === undefined || trial_ends_at === undefined) return;
    context.addIssue({ code: 'custom', path: ['trial_ends_at'], message: 'Says the same as trial_days; send one.' });
  })
  .openapi({ example: { customer_id: 'acme', plan_id: 'plan_01jd3k9x' } });
export type SubscriptionCreate = z.output<typeof subscriptionCreate>;
