import { z } from '@hono/zod-openapi';
import type { Metric, UsageEvent } from '../billing/catalog/metrics.ts';
import type { ExplainStep } from '../billing/invoices/explain-line.ts';
import { type InvoiceLine, type IssuedInvoice, LINE_TYPES } from '../billing/invoices/invoice.ts';
import type { Component } from '../billing/pricing/rating.ts';
import type { Decimal } from '../core/decimal.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { metricToWire, metricWire } from './metrics.ts';
import { componentToWire, componentWire } from './plans.ts';
import { decimalWire, instantWire, orNull } from './primitives.ts';
import { usageEventToWire, usageEventWire } from './usage-events.ts';

/** `{invoice_id}` and `{line_id}` in a path. */
export const invoiceLinePath = z.object({ invoice_id: z.string(), line_id: z.string() });

const MAX_EVENTS = 200;
const DEFAULT_EVENTS = 50;

/** Query of an explanation: where to go on in the events, and how many of them. */
export const explainQuery = z.object({
  cursor: z
    .string()
    .transform((text, context) => {
      const [, epoch, position] = /^(\d{1,9})-(\d{1,19})$/.exec(text) ?? [];
      if (epoch !== undefined && position !== undefined) return { epoch: Number(epoch), position: BigInt(position) };
      context.addIssue({ code: 'custom', message: 'Must be the next_cursor of an earlier answer.' });
      return z.NEVER;
    })
    .openapi({ type: 'string' })
    .optional(),
  limit: z
    .string()
    .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_EVENTS, {
      error: `Must be an integer from 1 to ${MAX_EVENTS}.`,
    })
    .transform(Number)
    .openapi({ type: 'integer', minimum: 1, maximum: MAX_EVENTS, default: DEFAULT_EVENTS })
    .default(DEFAULT_EVENTS),
});

const stepWire = z.object({ step: z.string(), text: z.string(), value: decimalWire });

export const lineExplanationWire = z
  .object({
    invoice_id: z.string(),
    invoice_number: z.string(),
    line_id: z.string(),
    type: z.enum(LINE_TYPES),
    description: z.string(),
    currency: z.string(),
    quantity: orNull(decimalWire),
    billable_quantity: orNull(decimalWire),
    events_count: orNull(decimalWire),
    metric: z.union([metricWire, z.null()]),
    window: z
      .object({
        start: instantWire,
        end: instantWire,
        time_zone: z.string().nullable(),
        position_above: z.string().nullable(),
        position_up_to: z.string().nullable(),
      })
      .nullable(),
    component: componentWire.nullable(),
    prepaid_units: orNull(decimalWire),
    steps: z.array(stepWire),
    total: decimalWire,
    events: z
      .object({
        count: orNull(decimalWire),
        results: z.array(usageEventWire),
        next_cursor: z.string().nullable(),
        next: z.string().nullable(),
      })
      .nullable(),
  })
  .openapi('LineExplanation');

type Place = { epoch: number; position: bigint };
type ExplainedEvent = UsageEvent & { idempotencyId: string; receivedAt: Instant };

/** An issued line with all that made it. `count` and `events` are null for a line that counts nothing. */
export type LineExplanation = {
  invoice: IssuedInvoice;
  line: InvoiceLine;
  metric: Metric | null;
  component: Component | null;
  count: { countedFrom: bigint | null; countedTo: bigint; timeZone: string; prepaidUnits: Decimal } | null;
  steps: ExplainStep[];
  /** `next`: the place after which the next page goes on. */
  events: { results: ExplainedEvent[]; next: Place | null } | null;
};

/** The explanation as the API returns it; `url` is the one that was asked. */
export function lineExplanationToWire(explanation: LineExplanation, url: URL): z.infer<typeof lineExplanationWire> {
  const { invoice, line, metric, component, count, steps } = explanation;
  return {
    invoice_id: invoice.invoiceId,
    invoice_number: invoice.invoiceNumber,
    line_id: String(line.lineId),
    type: line.type,
    description: line.description,
    currency: invoice.currency,
    quantity: line.quantity,
    billable_quantity: line.billableQuantity,
    events_count: line.eventsCount,
    metric: metric && metricToWire(metric),
    window: windowToWire(line, count),
    component: component && componentToWire(component),
    prepaid_units: count?.prepaidUnits ?? null,
    steps: steps.map(({ step, text, value }) => ({ step, text, value })),
    total: line.amount,
    events: eventsToWire(explanation, url),
  };
}

function windowToWire({ periodStart, periodEnd }: InvoiceLine, count: LineExplanation['count']) {
  if (periodStart === null || periodEnd === null) return null;
  return {
    start: isoFromInstant(periodStart),
    end: isoFromInstant(periodEnd),
    time_zone: count?.timeZone ?? null,
    position_above: count?.countedFrom?.toString() ?? null,
    position_up_to: count?.countedTo.toString() ?? null,
  };
}

function eventsToWire({ events, line }: LineExplanation, url: URL) {
  if (events === null) return null;
  const cursor = events.next && `${events.next.epoch}-${events.next.position}`;
  const next = new URL(url);
  next.searchParams.set('cursor', cursor ?? '');
  return {
    count: line.eventsCount,
    results: events.results.map(usageEventToWire),
    next_cursor: cursor,
    next: cursor && next.href,
  };
}
