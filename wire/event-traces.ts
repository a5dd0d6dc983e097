import { z } from '@hono/zod-openapi';
import type { UsageEvent } from '../billing/catalog/metrics.ts';
import {
  type BilledIn,
  NOT_BILLED_REASONS,
  type NotBilledReason,
  type Unpriced,
} from '../billing/metering/event-fate.ts';
import type { Instant } from '../core/instants.ts';
import { lineWire } from './invoice-lines.ts';
import { decimalWire, textInput } from './primitives.ts';
import { usageEventToWire, usageEventWire } from './usage-events.ts';

/** Query of GET /api/events/trace (spec/events#trace). */
export const eventTraceQuery = z.object({
  idempotency_id: textInput.openapi({ description: "The event's idempotency_id.", example: 'evt-4711' }),
});

const id = (description: string, example: string) => z.string().openapi({ description, example });
const idOrNull = (description: string, example: string) => z.string().nullable().openapi({ description, example });

const billedInWire = z.object({
  invoice_id: idOrNull('The invoice; null: of a draft.', 'inv_01jd3k9x'),
  invoice_number: idOrNull('Its number; null: of a draft.', 'INV-000042'),
  status: z
    .enum(['draft', 'open', 'paid', 'void', 'uncollectible'])
    .openapi({ description: 'State of the invoice.', example: 'open' }),
  line_id: idOrNull('The line; null: of a draft.', 'line_01jd3k9x'),
  type: z.enum(['usage', 'late_usage']).openapi({ description: 'What the line charges.', example: 'usage' }),
  metric_id: id('The metric that counts the event.', 'metric_01jd3k9x'),
  subscription_id: id('The subscription of the line.', 'sub_01jd3k9x'),
  amount: decimalWire.openapi({ description: 'Amount of the whole line.', example: 12.5 }),
  group: lineWire.shape.group,
  price_id: lineWire.shape.price_id,
});

export const eventTraceWire = z
  .object({
    idempotency_id: id('The id that was asked for.', 'evt-4711'),
    status: z.enum(['queued', 'landed', 'dead_lettered']).openapi({
      description:
        'landed: it can be counted; queued: it will be within moments; dead_lettered: its message cannot be decoded and waits for a replay.',
      example: 'landed',
    }),
    event: z
      .union([usageEventWire, z.null()])
      .openapi({ description: 'The event; null until it has landed, and once it was erased with its customer.' }),
    repeats: z
      .int()
      .nonnegative()
      .openapi({ description: 'How often its id was sent again, in the last 30 days.', example: 0 }),
    repeats_differing: z.int().nonnegative().openapi({
      description:
        'How many of these repeats differ from the event in name, customer, time or properties. The event stays as it is.',
      example: 0,
    }),
    metrics: z
      .array(
        z.object({
          metric_id: id('A metric of the account.', 'metric_01jd3k9x'),
          metric_name: id('Its name.', 'API calls'),
          counts: z.boolean().openapi({ description: 'Whether it counts the event.', example: true }),
          because: idOrNull('The first field of the metric that refuses it; null: none.', 'numeric_filters.0'),
        }),
      )
      .openapi({ description: 'The metrics of the account, newest first.' }),
    billed_in: z
      .array(billedInWire)
      .openapi({ description: 'The lines that count it, at 0 too: of issued invoices, then of the draft.' }),
    unpriced: z
      .array(
        z.object({
          metric_id: id('The metric that counts the event.', 'metric_01jd3k9x'),
          subscription_id: id('The subscription whose plan has the price book.', 'sub_01jd3k9x'),
          group: z.record(z.string(), z.string().nullable()).openapi({
            description: 'Its combination, by the properties in group_by.',
            example: { model: 'gpt-6' },
          }),
          unmatched: z
            .enum(['hold', 'ignore'])
            .openapi({ description: 'hold: it waits for a price; ignore: it is not billed.', example: 'hold' }),
        }),
      )
      .openapi({ description: 'The price books that have no row for it.' }),
    reason: z
      .union([z.enum(NOT_BILLED_REASONS), z.null()])
      .openapi({ description: 'Why nothing bills it; null where something does.', example: null }),
  })
  .openapi('EventTrace');

/** What became of an event. */
export type EventTrace = {
  idempotencyId: string;
  status: 'queued' | 'landed' | 'dead_lettered';
  event: (UsageEvent & { idempotencyId: string; receivedAt: Instant }) | null;
  repeats: number;
  repeatsDiffering: number;
  metrics: { metricId: string; metricName: string; because: string | null }[];
  billedIn: BilledIn[];
  unpriced: Unpriced[];
  reason: NotBilledReason | null;
};

/** The trace as the API returns it. */
export function eventTraceToWire(trace: EventTrace): z.infer<typeof eventTraceWire> {
  return {
    idempotency_id: trace.idempotencyId,
    status: trace.status,
    event: trace.event && usageEventToWire(trace.event),
    repeats: trace.repeats,
    repeats_differing: trace.repeatsDiffering,
    metrics: trace.metrics.map(({ metricId, metricName, because }) => {
      return { metric_id: metricId, metric_name: metricName, counts: because === null, because };
    }),
    billed_in: trace.billedIn.map((line) => ({
      invoice_id: line.invoiceId,
      invoice_number: line.invoiceNumber,
      status: line.status,
      line_id: line.lineId,
      type: line.type,
      metric_id: line.metricId,
      subscription_id: line.subscriptionId,
      amount: line.amount,
      group: line.group,
      price_id: line.priceId,
    })),
    unpriced: trace.unpriced.map(({ metricId, subscriptionId, group, unmatched }) => ({
      ...{ metric_id: metricId, subscription_id: subscriptionId, unmatched },
      group: { ...group },
    })),
    reason: trace.reason,
  };
}
