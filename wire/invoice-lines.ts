import { z } from '@hono/zod-openapi';
import { type InvoiceLine, LINE_TYPES } from '../billing/invoices/invoice.ts';
import { ZERO } from '../core/decimal.ts';
import { isoOfEdge } from '../core/instants.ts';
import { decimalWire, instantWire, orNull } from './primitives.ts';

const lineTierWire = z.object({
  up_to: orNull(decimalWire).openapi({
    description: 'Upper edge of the tier, inclusive; null: no end.',
    example: 1000,
  }),
  quantity: decimalWire.openapi({ description: 'Units that fell into the tier.', example: 50 }),
  unit_price: decimalWire.openapi({ description: 'Price of a unit in the tier.', example: 0.002 }),
  flat_fee: decimalWire.openapi({
    description: "A tier's fixed price, charged when a quantity above 0 falls in it.",
    example: 0,
  }),
  amount: decimalWire.openapi({ description: 'What the units of the tier cost, with its fixed price.', example: 0.1 }),
});

export const lineWire = z.object({
  line_id: z.string().nullable().openapi({ description: 'Id of the line; null on a draft.', example: 'line_01jd3k9x' }),
  customer_id: z.string().openapi({
    description: "Whose line it is: the invoice's customer, or one that is billed to it.",
    example: 'acme',
  }),
  type: z.enum(LINE_TYPES).openapi({ description: 'What the line charges or credits.', example: 'usage' }),
  description: z.string().openapi({ description: 'The line in words, as the invoice shows it.', example: 'API calls' }),
  subscription_id: z.string().nullable().openapi({
    description: 'The subscription that the line is of; null where it is of none.',
    example: 'sub_01jd3k9x',
  }),
  plan_id: z
    .string()
    .nullable()
    .openapi({ description: "The plan whose price was charged; null where it was none's.", example: 'plan_01jd3k9x' }),
  version: z.int().nullable().openapi({ description: 'The version of that plan.', example: 1 }),
  overridden: z.boolean().openapi({
    description: "Whether its price is what was agreed on with the subscription instead of the plan's.",
    example: false,
  }),
  metric_id: z
    .string()
    .nullable()
    .openapi({ description: 'The metric that was billed; null on other lines.', example: null }),
  addon_id: z
    .string()
    .nullable()
    .openapi({ description: 'The add-on that was billed; null on other lines.', example: null }),
  credit_id: z
    .string()
    .nullable()
    .openapi({ description: 'The credit that was applied; null on other lines.', example: null }),
  period_start: instantWire.nullable().openapi({
    description: 'Start of the time that the line is for; null where it is for none.',
    example: '2026-11-20T00:00:00.000Z',
  }),
  period_end: instantWire
    .nullable()
    .openapi({ description: 'End of the time that the line is for, exclusive.', example: '2026-12-20T00:00:00.000Z' }),
  quantity: orNull(decimalWire).openapi({
    description: 'How many; on a usage line the value of the metric.',
    example: 1,
  }),
  billable_quantity: orNull(decimalWire).openapi({
    description: 'What is left of the quantity after rounding and free tier.',
    example: 50,
  }),
  unit_price: orNull(decimalWire).openapi({ description: 'Price of a unit; null where tiers say it.', example: 29 }),
  amount: decimalWire.openapi({
    description: 'What the line adds to the invoice; below 0 where it takes off.',
    example: 29,
  }),
  tiers: z
    .array(lineTierWire)
    .openapi({ description: 'What fell into which tier, and what it cost; empty without tiers.' }),
  events_count: orNull(decimalWire).openapi({
    description: 'How many events the line was counted from; null on other lines.',
    example: null,
  }),
  discount_amount: decimalWire.openapi({
    description: 'What discounts take of the line; each is a line of its own.',
    example: 0,
  }),
  reversed_amount: orNull(decimalWire).openapi({
    description:
      'What reversals and refunds have taken back of a charge, without tax; null on lines that are no charge, and on drafts.',
    example: 0,
  }),
  tax_rate: orNull(decimalWire).openapi({
    description:
      'Tax rate in percent at which a late line below 0 takes back; null on lines that are taxed with the invoice.',
    example: null,
  }),
  tax_amount: orNull(decimalWire).openapi({
    description: 'Tax that goes back with such a line; null on lines that are taxed with the invoice.',
    example: null,
  }),
  group: z.record(z.string(), z.string().nullable()).nullable().openapi({
    description: 'The combination of properties that the line is for, by a price book; null on other lines.',
    example: null,
  }),
  price_id: z.string().nullable().openapi({
    description: 'The row of the price book that the line is priced by; null on other lines.',
    example: null,
  }),
  discount_id: z
    .string()
    .nullable()
    .openapi({ description: 'The discount that made the line; null on other lines.', example: null }),
});

/** A line as the API returns it in the invoice of a customer. */
export function lineToWire(line: InvoiceLine, customerId: string): z.infer<typeof lineWire> {
  return {
    line_id: line.lineId,
    customer_id: line.customerId ?? customerId,
    type: line.type,
    description: line.description,
    subscription_id: line.subscriptionId,
    plan_id: line.planId,
    version: line.agreed?.version ?? line.version,
    overridden: line.agreed?.overridden ?? false,
    metric_id: line.metricId,
    addon_id: line.addonId,
    credit_id: line.creditId,
    period_start: isoOfEdge(line.periodStart),
    period_end: isoOfEdge(line.periodEnd),
    quantity: line.quantity,
    billable_quantity: line.billableQuantity,
    unit_price: line.unitPrice,
    amount: line.amount,
    tiers: line.tiers.map((tier) => ({
      up_to: tier.upTo,
      quantity: tier.quantity,
      unit_price: tier.unitPrice,
      flat_fee: tier.flatFee,
      amount: tier.amount,
    })),
    events_count: line.eventsCount,
    discount_amount: line.discountAmount ?? ZERO,
    reversed_amount: line.reversedAmount ?? null,
    tax_rate: line.basis?.of === 'late_usage' ? line.basis.taxRate : null,
    tax_amount: line.basis?.of === 'late_usage' ? line.basis.taxAmount : null,
    group: line.group ?? null,
    price_id: line.priceId ?? null,
    discount_id: line.basis?.of === 'discount' ? line.basis.discountId : null,
  };
}
