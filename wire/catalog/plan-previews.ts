import { z } from '@hono/zod-openapi';
import type { PropertyValue } from '../../billing/catalog/metrics.ts';
import type { UnpricedUsage } from '../../billing/catalog/preview-plan.ts';
import type { ExplainStep } from '../../billing/invoices/explain-line.ts';
import type { InvoiceLine } from '../../billing/invoices/invoice.ts';
import type { PriceRow } from '../../billing/pricing/price-book.ts';
import { type Decimal, isDecimal } from '../../core/decimal.ts';
import { lineToWire, lineWire } from '../invoice-lines.ts';
import { stepWire } from '../line-explanations.ts';
import { momentInput } from '../moments.ts';
import { planCreate } from '../plans.ts';
import { decimalInput, decimalWire, textInput } from '../primitives.ts';
import { priceRowToWire, priceRowWire, propertyTextInput } from './price-books.ts';

const MAX_USES = 100;
const MAX_PROPERTIES = 100;

/** A property as an event has it. */
const propertyInput = z
  .union([z.string().max(4_096), decimalInput, z.boolean()], 'Must be a text, a number or a boolean.')
  .transform((value): PropertyValue => {
    if (isDecimal(value)) return { kind: 'number', value };
    return typeof value === 'string' ? { kind: 'string', value } : { kind: 'boolean', value };
  });

const useInput = z.strictObject({
  metric_id: textInput.openapi({ description: 'A metric with a price book.', example: 'metric_01jd3k9x' }),
  properties: z
    .record(z.string(), propertyTextInput)
    .default({})
    .openapi({
      ...{ type: 'object', additionalProperties: { type: ['string', 'null'] } },
      description: 'The combination: texts of the properties in group_by; null or left out: events without it.',
      example: { model: 'gpt-5', kind: 'input' },
    }),
  quantity: decimalInput.openapi({ description: "The period's value of the metric.", example: 1500 }),
});

const eventInput = z.strictObject({
  event_name: textInput.openapi({ description: 'As it would be sent.', example: 'completion' }),
  properties: z
    .record(z.string(), propertyInput)
    .refine((properties) => Object.keys(properties).length <= MAX_PROPERTIES, `At most ${MAX_PROPERTIES}.`)
    .default({})
    .openapi({
      ...{ type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
      description: 'As they would be sent.',
      example: { model: 'gpt-5', tokens: 1500 },
    }),
});

/** Body of POST /api/plans/preview: that of a plan, and the usage of a period by metric (spec/plans#preview). */
export const planPreview = planCreate
  .safeExtend({
    quantities: z
      .record(z.string(), decimalInput)
      .default({})
      .openapi({
        type: 'object',
        additionalProperties: { type: 'number', format: 'decimal' },
        description: "The period's value of each metric that the plan bills, by metric_id; 0 where it is not named.",
        example: { metric_01jd3k9x: 1500 },
      }),
    usage: z
      .array(useInput)
      .max(MAX_USES)
      .default([])
      .openapi({ description: 'The same of metrics with a price book, by combination of its properties.' }),
    event: eventInput
      .optional()
      .openapi({ description: 'An event that is all that is used, instead of quantities and usage.' }),
    at: momentInput.optional().openapi({
      description: 'When it is used: prices of price books are those of then. A date: midnight UTC. Without it: now.',
      example: '2026-11-20',
    }),
  })
  .refine(({ event, quantities, usage }) => !event || (Object.keys(quantities).length === 0 && usage.length === 0), {
    error: 'Is sent without quantities and usage.',
    path: ['event'],
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
    group: true,
  })
  .extend({
    price: z
      .union([priceRowWire.omit({ price_id: true }), z.null()])
      .openapi({ description: 'The row of the price book that prices it; null: none.' }),
    steps: z.array(stepWire).openapi({ description: 'The arithmetic, step by step; the last value is the amount.' }),
  });

export const planPreviewWire = z
  .object({
    currency: z.string().openapi({ description: 'ISO 4217 code of the amounts, as a plan has it.', example: 'usd' }),
    lines: z.array(previewLineWire).openapi({ description: 'The lines that the invoice of a period would have.' }),
    subtotal: decimalWire.openapi({ description: 'Their sum, without tax.', example: 30 }),
    unpriced: z
      .array(
        z.object({
          metric_id: z.string().openapi({ description: 'The metric.', example: 'metric_01jd3k9x' }),
          group: z
            .record(z.string(), z.string().nullable())
            .openapi({ description: 'The combination.', example: { model: 'gpt-6' } }),
          quantity: decimalWire.openapi({ description: 'How much of it is used.', example: 1500 }),
          unmatched: z
            .enum(['hold', 'ignore'])
            .openapi({ description: 'hold: it waits for a price; ignore: it is not billed.', example: 'hold' }),
        }),
      )
      .openapi({ description: 'Usage that no row of its price book prices.' }),
    metrics: z
      .array(
        z.object({
          metric_id: z.string().openapi({ description: 'A metric of the plan.', example: 'metric_01jd3k9x' }),
          counts: z.boolean().openapi({ description: 'Whether it counts the event.', example: true }),
          because: z.string().nullable().openapi({
            description: 'The first field of the metric that refuses it; null: none.',
            example: 'numeric_filters.0',
          }),
        }),
      )
      .nullable()
      .openapi({ description: 'Which metrics of the plan count the event; null without one.' }),
  })
  .openapi('PlanPreview');

/** What a plan would bill; `currency` is the upper-case code. */
export type PreviewedPlan = {
  currency: string;
  lines: { line: InvoiceLine; price: PriceRow | null; steps: ExplainStep[] }[];
  subtotal: Decimal;
  unpriced: UnpricedUsage[];
  metrics: { metricId: string; because: string | null }[] | null;
};

/** The preview as the API returns it. */
export function planPreviewToWire(plan: PreviewedPlan): z.infer<typeof planPreviewWire> {
  return {
    currency: plan.currency.toLowerCase(),
    lines: plan.lines.map(lineOfPreview),
    subtotal: plan.subtotal,
    unpriced: plan.unpriced.map(({ metricId, group, quantity, unmatched }) => {
      return { metric_id: metricId, group: { ...group }, quantity, unmatched };
    }),
    metrics:
      plan.metrics?.map(({ metricId, because }) => ({ metric_id: metricId, counts: because === null, because })) ??
      null,
  };
}

function lineOfPreview({ line, price, steps }: PreviewedPlan['lines'][number]): z.infer<typeof previewLineWire> {
  const wire = lineToWire(line, '');
  const { type, description, metric_id, quantity, billable_quantity, unit_price, amount, tiers, group } = wire;
  const shown = { type, description, metric_id, quantity, billable_quantity, unit_price, amount, tiers, group };
  return { ...shown, price: price && rowOfPreview(price), steps };
}

/** A row whose plan has not been made has no id. */
function rowOfPreview(row: PriceRow) {
  const { price_id: _, ...wire } = priceRowToWire(row);
  return wire;
}
