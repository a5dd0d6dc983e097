import { z } from '@hono/zod-openapi';
import type { ExplainStep } from '../../billing/invoices/explain-line.ts';
import type { InvoiceLine } from '../../billing/invoices/invoice.ts';
import type { Decimal } from '../../core/decimal.ts';
import { lineToWire, lineWire } from '../invoice-lines.ts';
import { stepWire } from '../line-explanations.ts';
import { planCreate } from '../plans.ts';
import { decimalInput, decimalWire } from '../primitives.ts';

/** Body of POST /api/plans/preview: that of a plan, and the usage of a period by metric (spec/plans#preview). */
export const planPreview = planCreate
  .safeExtend({
    quantities: z
      .record(z.string(), decimalInput)
      .default({})
      .openapi({
        type: 'object',
        additionalProperties: { type: 'number' },
        description: "The period's value of each metric that the plan bills, by metric_id; 0 where it is not named.",
        example: { metric_01jd3k9x: 1500 },
      }),
  })
  .openapi({
    example: {
      name: 'Pro',
      recurring_fee: 29,
      billing_period: 'monthly',
      components: [{ metric_id: 'metric_01jd3k9x', free_tier: 1000, overage_price: 0.002 }],
      quantities: { metric_01jd3k9x: 1500 },
    },
  });
export type PlanPreviewBody = z.output<typeof planPreview>;

const previewLineWire = lineWire
  .pick({
    type: true,
    description: true,
    metric_id: true,
    quantity: true,
    billable_quantity: true,
    unit_price: true,
    amount: true,
    tiers: true,
  })
  .extend({
    steps: z.array(stepWire).openapi({ description: 'The arithmetic, step by step; the last value is the amount.' }),
  });

export const planPreviewWire = z
  .object({
    currency: z.string().openapi({ description: 'ISO 4217 code of the amounts, as a plan has it.', example: 'usd' }),
    lines: z.array(previewLineWire).openapi({ description: 'The lines that the invoice of a period would have.' }),
    subtotal: decimalWire.openapi({ description: 'Their sum, without tax.', example: 30 }),
  })
  .openapi('PlanPreview');

/** What a plan would bill; `currency` is the upper-case code. */
export type PreviewedPlan = {
  currency: string;
  lines: { line: InvoiceLine; steps: ExplainStep[] }[];
  subtotal: Decimal;
};

/** The preview as the API returns it. */
export function planPreviewToWire({ currency, lines, subtotal }: PreviewedPlan): z.infer<typeof planPreviewWire> {
  return {
    currency: currency.toLowerCase(),
    lines: lines.map(({ line, steps }) => {
      const { type, description, metric_id, quantity, billable_quantity, unit_price, amount, tiers } = lineToWire(
        line,
        '',
      );
      return { type, description, metric_id, quantity, billable_quantity, unit_price, amount, tiers, steps };
    }),
    subtotal,
  };
}
