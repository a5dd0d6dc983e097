import { z } from '@hono/zod-openapi';
import type { HeldUsage } from '../../billing/pricing/held-usage.ts';
import { isoFromInstant } from '../../core/instants.ts';
import { decimalWire, instantWire } from '../primitives.ts';

/** Usage that waits for a price (spec/price-books#unmatched). */
export const heldUsageWire = z
  .object({
    subscription_id: z
      .string()
      .openapi({ description: 'The subscription whose usage it is.', example: 'sub_01jd3k9x' }),
    metric_id: z.string().openapi({ description: 'The metric that was counted.', example: 'metric_01jd3k9x' }),
    group: z
      .record(z.string(), z.string().nullable())
      .openapi({ description: 'The combination of properties that no row prices.', example: { model: 'gpt-6' } }),
    quantity: decimalWire.openapi({ description: 'The value of the metric.', example: 1200 }),
    events_count: decimalWire.openapi({ description: 'How many events there are.', example: 12 }),
    first_event_at: instantWire.openapi({ description: 'When the earliest of them happened.' }),
    period_start: instantWire.openapi({ description: 'Start of the time in which no row prices it.' }),
    period_end: instantWire.openapi({ description: 'End of that time, exclusive.' }),
  })
  .openapi('HeldUsage');

/** Held usage as the API returns it. */
export function heldToWire(held: HeldUsage): z.infer<typeof heldUsageWire> {
  return {
    subscription_id: held.subscriptionId,
    metric_id: held.metricId,
    group: { ...held.group },
    quantity: held.quantity,
    events_count: held.eventsCount,
    first_event_at: isoFromInstant(held.firstEventAt),
    period_start: isoFromInstant(held.periodStart),
    period_end: isoFromInstant(held.periodEnd),
  };
}

/** The same with whose it is, as lists and webhooks have it. */
export const heldRecordWire = heldUsageWire
  .extend({
    customer_id: z.string().openapi({ description: 'The customer who used it.', example: 'acme' }),
    plan_id: z
      .string()
      .openapi({ description: 'The plan whose price book has no price for it.', example: 'plan_01jd3k9x' }),
  })
  .openapi('HeldUsageRecord');

export function heldRecordToWire(held: HeldUsage & { customerId: string }): z.infer<typeof heldRecordWire> {
  return { ...heldToWire(held), customer_id: held.customerId, plan_id: held.planId };
}
