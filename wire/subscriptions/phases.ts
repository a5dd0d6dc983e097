import { z } from '@hono/zod-openapi';
import type { Phase } from '../../billing/subscriptions/agreement.ts';
import { overridesInput, overridesToWire, overridesWire } from '../catalog/overrides.ts';
import { dateInput, dateWire, integerInput, textInput } from '../primitives.ts';

const START =
  'The day from which it holds: of the plan that the subscription is on, from the first billing period after it.';
const PLAN = 'Another plan to switch to; without it the plan stays.';
const VERSION =
  'Version of the plan; without it the one that the subscription is on, of another plan the newest by then.';
const OVERRIDES = 'What is agreed on instead of what the plan says; without it nothing.';

const phaseInput = z.strictObject({
  start_date: dateInput
    .refine((date) => date < '9000', 'Must be before the year 9000.')
    .openapi({ description: START, example: '2027-01-01' }),
  plan_id: textInput.optional().openapi({ description: PLAN, example: 'plan_01jd3k9y' }),
  version: integerInput(1, 1_000_000).optional().openapi({ description: VERSION, example: 1 }),
  overrides: overridesInput.optional().openapi({ description: OVERRIDES }),
});
export type PhaseInput = z.output<typeof phaseInput>;

/** Up to 20 phases in the order of their dates (spec/subscriptions#phases). */
export const phasesInput = z
  .array(phaseInput)
  .max(20)
  .superRefine((phases, context) => {
    for (const [i, { start_date }] of phases.entries()) {
      const before = phases[i - 1]?.start_date;
      if (before === undefined || start_date > before) continue;
      context.addIssue({ code: 'custom', path: [i, 'start_date'], message: `Must be after that of phases.${i - 1}.` });
    }
  });

/** Body of PUT /api/subscriptions/<id>/phases. */
export const phasesBody = z
  .strictObject({
    phases: phasesInput.openapi({ description: 'What is agreed on for later dates; an empty list: nothing.' }),
  })
  .openapi({ example: { phases: [{ start_date: '2027-01-01', overrides: { recurring_fee: 1200 } }] } });

export const phaseWire = z.object({
  start_date: dateWire.openapi({ description: START, example: '2027-01-01' }),
  plan_id: z.string().nullable().openapi({ description: PLAN, example: null }),
  version: z.int().nullable().openapi({ description: VERSION, example: null }),
  overrides: z.union([overridesWire, z.null()]).openapi({ description: OVERRIDES }),
});

/** A phase that is still to come, as it was sent. */
export function phaseToWire({ startDate, sent }: Pick<Phase, 'startDate' | 'sent'>): z.infer<typeof phaseWire> {
  const { planId, version, overrides } = sent;
  return { start_date: startDate, plan_id: planId, version, overrides: overrides && overridesToWire(overrides) };
}
