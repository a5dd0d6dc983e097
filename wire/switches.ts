import { z } from '@hono/zod-openapi';
import { dateInput, decimalWire, textInput } from './primitives.ts';
import { subscriptionWire } from './subscriptions.ts';

/** Body of POST /api/subscriptions/<id>/switch_plan/ (spec/subscriptions#switch); a null `effective_date` withdraws. */
export const switchPlanBody = z
  .strictObject({
    new_plan_id: textInput.nullable().optional(),
    invoicing_behavior: z.enum(['add_to_next_invoice', 'invoice_now']).default('add_to_next_invoice'),
    usage_behavior: z.enum(['transfer_to_new_subscription', 'reset_usage']).default('transfer_to_new_subscription'),
    effective_date: dateInput.nullable().optional(),
  })
  .superRefine(({ new_plan_id, effective_date }, context) => {
    if (effective_date === null || typeof new_plan_id === 'string') return;
    context.addIssue({ code: 'custom', path: ['new_plan_id'], message: 'Required.' });
  });

/** What a switch charges or credits for the rest of the period (spec/subscriptions#switch). */
const prorationWire = z
  .object({
    amount: decimalWire,
    direction: z.enum(['charge', 'credit', 'none']),
    days_remaining: z.int(),
    days_in_period: z.int(),
  })
  .openapi('Proration');

/** The new subscription, or the old one where the switch is planned or withdrawn, with what the switch cost. */
export const switchWire = subscriptionWire
  .extend({ proration: z.union([prorationWire, z.null()]), invoice_id: z.string().nullable() })
  .openapi('PlanSwitch');

export type SwitchWire = z.infer<typeof switchWire>;
