import { z } from '@hono/zod-openapi';
import { fieldsOfPrice } from '../../billing/pricing/price.ts';
import { type PriceBook, type PriceRow, UNMATCHED } from '../../billing/pricing/price-book.ts';
import { isDecimal, toPlain, ZERO } from '../../core/decimal.ts';
import { type Instant, isLocalDate, isoFromInstant, type LocalDate } from '../../core/instants.ts';
import { decimalInput, decimalWire, instantInput, nonNegativeInput, recordInput, textInput } from '../primitives.ts';
import { priceInputs, priceSent, priceToWire, priceWires } from './prices.ts';

/** Rows of a price book at most, those that were added counted in (spec/price-books#rows). */
export const MAX_PRICES = 1_000;
const MAX_TEXT = 4_096;

const ROWS = 'Prices by the properties of the events, each a row of the price book; null without one.';
const GROUP_BY = 'The properties of events by which they are priced, 1 to 3; null without a price book.';
const UNMATCHED_TEXT =
  "What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.";
const WHEN = 'Texts of some of the properties in group_by; null: events without it, {}: all events.';
const FROM =
  "From when on: a date (the customer's midnight) or a date-time; events before it have another price. Null: always.";

/** A value of a property as `unique` compares it: numbers as plain decimals. */
export const propertyTextInput = z
  .union(
    [z.string().max(MAX_TEXT), decimalInput, z.boolean(), z.null()],
    'Must be a text, a number, a boolean or null.',
  )
  .transform((value) => (value === null ? null : isDecimal(value) ? toPlain(value) : String(value)));

const whenInput = recordInput(propertyTextInput).openapi({
  ...{ type: 'object', additionalProperties: { type: ['string', 'null'] } },
  ...{ description: WHEN, example: { model: 'gpt-5', kind: 'input' } },
});

const fromInput = z
  .string()
  .transform((text, context): LocalDate | Instant => {
    if (isLocalDate(text)) return text;
    const instant = instantInput.safeParse(text);
    if (instant.success) return instant.data;
    context.addIssue({
      code: 'custom',
      message: 'Must be a date such as 2026-11-20, or a date-time with Z or an offset.',
    });
    return z.NEVER;
  })
  .nullish()
  .openapi({ type: ['string', 'null'], description: FROM, example: '2026-11-20' });

/** A row of a price book without the id that the service gives it. */
export const priceRowInputs = {
  when: whenInput,
  from: fromInput,
  ...priceInputs,
  free_tier: nonNegativeInput.optional().openapi({
    description: 'Units of each combination that cost nothing, each period.',
    example: 0,
  }),
};

/** A row as it is sent with its book. */
export const priceRowInput = z.strictObject({
  price_id: textInput.optional().openapi({
    description: 'Taken back as it was read; it changes nothing.',
    example: 'price_01jd3k9x',
  }),
  ...priceRowInputs,
});
export type PriceRowInput = Omit<z.output<typeof priceRowInput>, 'price_id'>;

/** What makes a price book of a component (spec/price-books). */
export const bookInputs = {
  group_by: z
    .array(textInput.max(256).refine((name) => name !== '__proto__', 'Must not be __proto__.'))
    .min(1)
    .max(3)
    .nullish()
    .openapi({ description: GROUP_BY, example: ['model', 'kind'] }),
  prices: z.array(priceRowInput).min(1).max(MAX_PRICES).nullish().openapi({ description: ROWS }),
  unmatched: z
    .enum(UNMATCHED, `Must be one of ${UNMATCHED.join(', ')}.`)
    .nullish()
    .openapi({ description: UNMATCHED_TEXT, example: 'hold' }),
};

const bookFieldsInput = z.object(bookInputs);

/** The price book that was sent, its rows with the ids that `idOf` gives; a field of the component, none where there is none. */
export function bookSent(input: z.output<typeof bookFieldsInput>, newPriceId: () => string): { book?: PriceBook } {
  const { group_by: groupBy, prices, unmatched } = input;
  if (!groupBy || !prices) return {};
  return { book: { groupBy, rows: rowsSent(prices, newPriceId), unmatched: unmatched ?? 'hold' } };
}

/** The rows that were sent, in their order. */
export function rowsSent(rows: readonly PriceRowInput[], newPriceId: () => string): PriceRow[] {
  return rows.map((row) => rowSent(row, newPriceId()));
}

/** A row that comes with its plan version. */
export function rowSent({ when, from, free_tier, ...price }: PriceRowInput, priceId: string): PriceRow {
  return {
    priceId,
    when,
    from: from ?? null,
    price: priceSent(price),
    freeTier: free_tier ?? ZERO,
    isOverride: false,
    addition: null,
    seq: 0n,
  };
}

export const priceRowWire = z
  .object({
    price_id: z.string().openapi({ description: 'Id of the row.', example: 'price_01jd3k9x' }),
    when: z
      .record(z.string(), z.string().nullable())
      .openapi({ description: WHEN, example: { model: 'gpt-5', kind: 'input' } }),
    from: z.string().nullable().openapi({ description: FROM, example: '2026-11-20' }),
    ...priceWires,
    free_tier: decimalWire.openapi({ description: 'Units of each combination that cost nothing.', example: 0 }),
  })
  .openapi('PriceRow');

export const bookWires = {
  group_by: z.array(z.string()).nullable().openapi({ description: GROUP_BY, example: null }),
  prices: z.array(priceRowWire).nullable().openapi({ description: ROWS, example: null }),
  unmatched: z.enum(UNMATCHED).nullable().openapi({ description: UNMATCHED_TEXT, example: null }),
};

const booksWire = z.object(bookWires);

export function bookToWire(book: PriceBook | undefined): z.infer<typeof booksWire> {
  if (!book) return { group_by: null, prices: null, unmatched: null };
  return { group_by: [...book.groupBy], prices: book.rows.map(priceRowToWire), unmatched: book.unmatched };
}

export function priceRowToWire({ priceId, when, from, price, freeTier }: PriceRow): z.infer<typeof priceRowWire> {
  return {
    price_id: priceId,
    when: { ...when },
    from: fromToWire(from),
    ...priceToWire(fieldsOfPrice(price)),
    free_tier: freeTier,
  };
}

/** From when on a row is for events, as the API returns it. */
export function fromToWire(from: LocalDate | Instant | null): string | null {
  return typeof from === 'number' ? isoFromInstant(from) : from;
}
