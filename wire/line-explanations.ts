import { z } from '@hono/zod-openapi';
import type { Metric, UsageEvent } from '../billing/catalog/metrics.ts';
import type { ExplainStep } from '../billing/invoices/explain-line.ts';
import { type InvoiceLine, type IssuedInvoice, LINE_TYPES } from '../billing/invoices/invoice.ts';
import type { PriceRow } from '../billing/pricing/price-book.ts';
import type { Component } from '../billing/pricing/rating.ts';
import type { Overrides } from '../billing/subscriptions/agreement.ts';
import type { Decimal } from '../core/decimal.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { componentToWire, componentWire } from './catalog/components.ts';
import { overridesToWire, overridesWire } from './catalog/overrides.ts';
import { priceRowToWire, priceRowWire } from './catalog/price-books.ts';
import { lineWire } from './invoice-lines.ts';
import { metricToWire, metricWire } from './metrics.ts';
import { decimalWire, instantInput, instantWire, orNull, textInput } from './primitives.ts';
import { usageEventToWire, usageEventWire } from './usage-events.ts';

/** `{invoice_id}` and `{line_id}` in a path. */
export const invoiceLinePath = z.object({
  invoice_id: z.string().openapi({ description: 'Id or number of the invoice.', example: 'inv_01jd3k9x' }),
  line_id: z.string().openapi({ description: 'Id of the line.', example: 'line_01jd3k9x' }),
});

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
    .optional()
    .openapi({ description: 'The next_cursor of the page before.' }),
  limit: z
    .string()
    .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_EVENTS, {
      error: `Must be an integer from 1 to ${MAX_EVENTS}.`,
    })
    .transform(Number)
    .openapi({ type: 'integer', minimum: 1, maximum: MAX_EVENTS, default: DEFAULT_EVENTS })
    .default(DEFAULT_EVENTS)
    .openapi({ description: 'Events of a page.', example: 50 }),
});
export type ExplainQuery = z.output<typeof explainQuery>;

export const stepWire = z.object({
  step: z.string().openapi({ description: 'What the step does.', example: 'free_tier' }),
  text: z.string().openapi({ description: 'The step in words.', example: '120 - 100 free = 20' }),
  value: decimalWire.openapi({ description: 'The value after the step, exact.', example: 20 }),
});

export const lineExplanationWire = z
  .object({
    invoice_id: z.string().openapi({ description: 'Id of an invoice.', example: 'inv_01jd3k9x' }),
    invoice_number: z.string().openapi({
      description: 'Number of the invoice: per account, without gaps, in order of issue.',
      example: 'INV-000001',
    }),
    line_id: z.string().openapi({ description: 'Id of a line; null on a draft.', example: 'line_01jd3k9x' }),
    type: z.enum(LINE_TYPES).openapi({ description: 'What the line charges.', example: 'usage' }),
    description: z
      .string()
      .openapi({ description: 'The line in words, as the invoice shows it.', example: 'API calls' }),
    currency: z.string().openapi({ description: "ISO 4217 code of the invoice's currency.", example: 'usd' }),
    quantity: orNull(decimalWire).openapi({
      description: 'How many; on a usage line the value of the metric.',
      example: 1,
    }),
    billable_quantity: orNull(decimalWire).openapi({
      description: 'What is left of the quantity after rounding and free tier.',
      example: 50,
    }),
    events_count: orNull(decimalWire).openapi({
      description: 'Matching events, with or without the aggregated property.',
      example: 120,
    }),
    metric: z
      .union([metricWire, z.null()])
      .openapi({ description: 'The metric that was counted, as it is now; null for other lines.' }),
    window: z
      .object({
        start: instantWire.openapi({
          description: 'Start of the time that was counted, inclusive.',
          example: '2026-11-20T00:00:00.000Z',
        }),
        end: instantWire.openapi({
          description: 'End of the time that was counted, exclusive.',
          example: '2026-12-20T00:00:00.000Z',
        }),
        time_zone: z
          .string()
          .nullable()
          .openapi({ description: 'The time zone in which a time filter was read.', example: 'UTC' }),
        position_above: z.string().nullable().openapi({
          description: 'Only events above this position of the stream were counted; null: all.',
          example: null,
        }),
        position_up_to: z
          .string()
          .nullable()
          .openapi({ description: 'Only events up to this position of the stream were counted.', example: null }),
      })
      .nullable()
      .openapi({ description: 'Which usage was counted; null for other lines.' }),
    component: componentWire
      .nullable()
      .openapi({ description: 'The price component of the plan version that made the line; null for other lines.' }),
    group: lineWire.shape.group,
    price: z
      .union([priceRowWire, z.null()])
      .openapi({ description: 'The row of the price book that the line is priced by; null: none.' }),
    overrides: z.union([overridesWire, z.null()]).openapi({
      description: 'What was agreed on that the line is priced by; null where that is what the plan says.',
    }),
    prepaid_units: orNull(decimalWire).openapi({
      description: 'Units that were paid ahead; null where none could be.',
      example: null,
    }),
    limit: z
      .object({
        minimum_amount: orNull(decimalWire).openapi({
          description: 'The least, for the days in force; null: none.',
          example: 40,
        }),
        maximum_amount: orNull(decimalWire).openapi({ description: 'The most; null: none.', example: 130 }),
        charged: decimalWire.openapi({ description: 'What the limits count came to.', example: 33.5 }),
        trued_up: decimalWire.openapi({ description: 'What earlier lines have trued up of it.', example: 0 }),
      })
      .nullable()
      .openapi({ description: 'The limits that made a true_up line; null for other lines.' }),
    discount: z
      .object({
        discount_id: z.string().openapi({ description: 'Id of the discount.', example: 'disc_01jd3k9x' }),
        percent_off: orNull(decimalWire).openapi({ description: 'Percent of what is left; null: none.', example: 15 }),
        amount_off: orNull(decimalWire).openapi({ description: 'Amount at most; null: none.', example: null }),
        amount: decimalWire.openapi({ description: 'What was left of the lines that it is for.', example: 130 }),
      })
      .nullable()
      .openapi({ description: 'The discount that made a discount line; null for other lines.' }),
    steps: z.array(stepWire).openapi({ description: 'The arithmetic, step by step; the last value is the total.' }),
    total: decimalWire.openapi({ description: 'The amount of the line: where the steps lead.', example: 29 }),
    events: z
      .object({
        count: orNull(decimalWire).openapi({ description: 'How many events there are in all.', example: 120 }),
        results: z.array(usageEventWire).openapi({ description: 'This page of events, oldest first.' }),
        next_cursor: z
          .string()
          .nullable()
          .openapi({ description: 'The cursor of the next page; null on the last one.', example: null }),
        next: z
          .string()
          .nullable()
          .openapi({ description: 'URL of the next page of events; null on the last one.', example: null }),
      })
      .nullable()
      .openapi({ description: 'The events that the line was counted from, a page of them; null for other lines.' }),
  })
  .openapi('LineExplanation');

const none = z.null().openapi({ description: 'A draft has none.' });

/** As {@link lineExplanationWire}, of a line of a draft. */
export const draftLineExplanationWire = lineExplanationWire
  .extend({ invoice_id: none, invoice_number: none, line_id: none })
  .openapi('DraftLineExplanation');

/** Query of GET /api/customers/<id>/draft_invoice/explain (spec/invoices#draft): which line, and which of its events. */
export const draftExplainQuery = explainQuery.extend({
  subscription_id: textInput.openapi({ description: 'The subscription of the line.', example: 'sub_01jd3k9x' }),
  metric_id: textInput
    .optional()
    .openapi({ description: 'The metric of the line; left out for one of none.', example: 'metric_01jd3k9x' }),
  type: z
    .enum(['usage', 'late_usage', 'prepaid_units', 'true_up', 'discount'])
    .default('usage')
    .openapi({ description: 'What the line charges.', example: 'usage' }),
  period_start: instantInput.optional().openapi({
    description: "The line's period_start; without it, of several lines the one whose period starts last.",
    example: '2026-11-20T00:00:00.000Z',
  }),
  group: z.string().max(16_384).optional().openapi({
    description: "The line's group as JSON, where there are lines of several combinations.",
    example: '{"model":"gpt-5"}',
  }),
  price_id: textInput.optional().openapi({ description: "The line's price_id.", example: 'price_01jd3k9x' }),
  discount_id: textInput
    .optional()
    .openapi({ description: "The line's discount_id, where there are lines of several.", example: 'disc_01jd3k9x' }),
});
export type DraftExplainQuery = z.output<typeof draftExplainQuery>;

type Place = { epoch: number; position: bigint };
type ExplainedEvent = UsageEvent & { idempotencyId: string; receivedAt: Instant };

/** An issued line with all that made it. */
export type LineExplanation = Explanation<bigint> & { invoice: IssuedInvoice };

/** A line of a draft with all that made it; `currency` is the upper-case code. */
export type DraftLineExplanation = Explanation & { currency: string };

/** A line with all that made it. `count` and `events` are null for a line that counts nothing; `countedTo` null: up to what has landed. */
type Explanation<CountedTo = bigint | null> = {
  line: InvoiceLine;
  metric: Metric | null;
  component: Component | null;
  price: PriceRow | null;
  overrides: Overrides | null;
  count: { countedFrom: bigint | null; countedTo: CountedTo; timeZone: string; prepaidUnits: Decimal } | null;
  steps: ExplainStep[];
  /** `next`: the place after which the next page goes on. */
  events: { results: ExplainedEvent[]; next: Place | null } | null;
};

/** The explanation as the API returns it; `url` is the one that was asked. */
export function lineExplanationToWire(explanation: LineExplanation, url: URL): z.infer<typeof lineExplanationWire> {
  const { invoice, line } = explanation;
  return {
    invoice_id: invoice.invoiceId,
    invoice_number: invoice.invoiceNumber,
    line_id: String(line.lineId),
    ...explanationToWire(explanation, invoice.currency, url),
  };
}

/** The explanation of a draft's line as the API returns it. */
export function draftLineExplanationToWire(
  explanation: DraftLineExplanation,
  url: URL,
): z.infer<typeof draftLineExplanationWire> {
  const ids = { invoice_id: null, invoice_number: null, line_id: null };
  return { ...ids, ...explanationToWire(explanation, explanation.currency, url) };
}

function explanationToWire(explanation: Explanation, currency: string, url: URL) {
  const { line, metric, component, price, overrides, count, steps } = explanation;
  return {
    type: line.type,
    description: line.description,
    currency,
    quantity: line.quantity,
    billable_quantity: line.billableQuantity,
    events_count: line.eventsCount,
    metric: metric && metricToWire(metric),
    window: windowToWire(line, count),
    component: component && componentToWire(component),
    group: line.group ?? null,
    price: price && priceRowToWire(price),
    overrides: overrides && overridesToWire(overrides),
    prepaid_units: count?.prepaidUnits ?? null,
    ...basisToWire(line),
    steps: steps.map(({ step, text, value }) => ({ step, text, value })),
    total: line.amount,
    events: eventsToWire(explanation, url),
  };
}

function basisToWire({ basis }: InvoiceLine) {
  if (basis?.of === 'limits') {
    const { minimumAmount: minimum_amount, maximumAmount: maximum_amount, charged, truedUp: trued_up } = basis;
    return { limit: { minimum_amount, maximum_amount, charged, trued_up }, discount: null };
  }
  if (basis?.of === 'discount') {
    const { discountId: discount_id, percentOff: percent_off, amountOff: amount_off, amount } = basis;
    return { limit: null, discount: { discount_id, percent_off, amount_off, amount } };
  }
  return { limit: null, discount: null };
}

function windowToWire({ periodStart, periodEnd }: InvoiceLine, count: Explanation['count']) {
  if (periodStart === null || periodEnd === null) return null;
  return {
    start: isoFromInstant(periodStart),
    end: isoFromInstant(periodEnd),
    time_zone: count?.timeZone ?? null,
    position_above: count?.countedFrom?.toString() ?? null,
    position_up_to: count?.countedTo?.toString() ?? null,
  };
}

function eventsToWire({ events, line }: Explanation, url: URL) {
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
