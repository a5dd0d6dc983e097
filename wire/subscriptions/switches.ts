import { z } from '@hono/zod-openapi';
import { overridesInput } from '../catalog/overrides.ts';
import { dateInput, decimalWire, textInput } from '../primitives.ts';
import { subscriptionWire } from '../subscriptions.ts';

/** Body of POST /api/subscriptions/<id>/switch_plan/ (spec/subscriptions#switch); a null `effective_date` withdraws. */
export const switchPlanBody = z
  .strictObject({
    new_plan_id: textInput
      .nullable()
      .optional()
      .openapi({ description: 'The plan to switch to.', example: 'plan_01jd3k9y' }),
    invoicing_behavior: z
      .enum(['add_to_next_invoice', 'invoice_now'])
      .default('add_to_next_invoice')
      .openapi({ description: 'Whether it is billed with the next invoice or now.', example: 'add_to_next_invoice' }),
    usage_behavior: z
      .enum(['transfer_to_new_subscription', 'reset_usage'])
      .default('transfer_to_new_subscription')
      .openapi({
        description: 'Whether usage of the whole period is rated by the new plan, or the new one starts at zero.',
        example: 'transfer_to_new_subscription',
      }),
    effective_date: dateInput.nullable().optional().openapi({
      description: 'Day on which the switch happens; without it now, null withdraws a planned one.',
      example: '2026-12-20',
    }),
    overrides: overridesInput.optional().openapi({
      description:
        'What is agreed on instead of what the plan says, in its version of now; without it those of the old subscription end with it.',
    }),
  })
  .superRefine(({ new_plan_id, effective_date }, context) => {
    if (effective_date === null || typeof new_plan_id === 'string') return;
    context.addIssue({ code: 'custom', path: ['new_plan_id'], message: 'Required.' });
  })
  .openapi({ example: { new_plan_id: 'plan_01jd3k9y' } });
export type SwitchPlanBody = z.output<typeof switchPlanBody>;

/** What a switch charges or credits for the rest of the period (spec/subscriptions#switch). */
const prorationWire = z
  .object({
    amount: decimalWire.openapi({ description: 'What the switch charges or credits, in major units.', example: 20 }),
    direction: z
      .enum(['charge', 'credit', 'none'])
      .openapi({ description: 'Whether the proration is a charge, a credit, or none.', example: 'charge' }),
    days_remaining: z.int().openapi({
      description: 'Calendar days from the change to the end of the period; the day of the change counts.',
      example: 10,
    }),
    days_in_period: z.int().openapi({ description: 'Calendar days of the current period.', example: 30 }),
  })
  .openapi('Proration');

/** The new subscription, or the old one where the switch is planned or withdrawn, with what the switch cost. */
export const switchWire = subscriptionWire
  .extend({
    proration: z.union([prorationWire, z.null()]).openapi({
      description:
        'What the switch charges or credits now; null for a planned one and where the period itself is closed.',
    }),
    invoice_id: z
      .string()
      .nullable()
      .openapi({ description: 'The invoice that the switch made; null where it made none.', example: null }),
  })
  .openapi('PlanSwitch');

export type SwitchWire = z.infer<typeof switchWire>;
