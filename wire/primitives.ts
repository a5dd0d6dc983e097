import { z } from '@hono/zod-openapi';
import { currencyOf, findCurrency } from '../core/currencies.ts';
import { type Decimal, isDecimal } from '../core/decimal.ts';
import { type Instant, instantFromIso, isLocalDate } from '../core/instants.ts';
import { parseExactNumber } from '../core/property-numbers.ts';

/** Shapes that many resources share (spec/api). Input schemas turn JSON into domain values; the others only document. */

const REQUIRED = 'Required.';

const exactInput = z.unknown().transform((value, context): Decimal => {
  const exact = typeof value === 'string' ? parseExactNumber(value) : value;
  if (isDecimal(exact)) return exact;
  const message = value === undefined ? REQUIRED : 'Must be a number of at most 20 integer digits and 18 decimals.';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** A number or a decimal string of at most 20 integer digits and 18 decimals, as an exact Decimal. */
export const decimalInput = exactInput.openapi({ type: 'number', format: 'decimal' });

/** A decimal that is zero or more. */
export const nonNegativeInput = decimalInput
  .refine((value) => !value.isNegative() || value.isZero(), 'Must not be negative.')
  .openapi({ type: 'number', format: 'decimal', minimum: 0 });

/** Decimals that a unit price may have (spec/api#numbers). */
const UNIT_PRICE_DECIMALS = 12;

/** A price per unit: zero or more, up to 12 decimals. */
export const unitPriceInput = nonNegativeInput
  .refine((value) => (value.decimalPlaces() ?? 0) <= UNIT_PRICE_DECIMALS, 'Must have at most 12 decimals.')
  .openapi({ type: 'number', format: 'decimal', minimum: 0, example: 0.002 });

/** A share of a hundred: 0 to 100, up to 12 decimals. */
export const percentageInput = unitPriceInput
  .refine((value) => value.lte(100), 'Must be from 0 to 100.')
  .openapi({ type: 'number', format: 'decimal', minimum: 0, maximum: 100, example: 2.9 });

/** An integer within `min` and `max`, as a JavaScript number. */
export function integerInput(min: number, max: number) {
  return exactInput
    .refine((value) => value.isInteger(), 'Must be an integer.')
    .refine((value) => value.gte(min) && value.lte(max), `Must be from ${min} to ${max}.`)
    .transform((value) => value.toNumber())
    .openapi({ type: 'integer', minimum: min, maximum: max });
}

/** A number on the wire: exact digits, no exponent. */
export const decimalWire = z.custom<Decimal>(isDecimal).openapi({ type: 'number', format: 'decimal' });

/** A number schema that also takes null, and says so in the OpenAPI document: its own type would hide it. */
export function orNull<T extends z.ZodType>(number: T) {
  return number.nullable().openapi({ type: ['number', 'null'] });
}

/** A date, `2026-11-20`. */
export const dateInput = z
  .string()
  .refine(isLocalDate, 'Must be a date such as 2026-11-20.')
  .openapi({ format: 'date' });

/** What every store holds, and every answer can write: the years 1 to 9999. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A date-time with a zone, converted to an instant; finer than a millisecond is truncated. */
export const instantInput = z
  .string()
  .transform((text, context): Instant => {
    const instant = instantFromIso(text);
    if (instant !== null && instant >= EARLIEST && instant <= LATEST) return instant;
    context.addIssue({ code: 'custom', message: 'Must be an ISO 8601 date-time with Z or an offset.' });
    return z.NEVER;
  })
  .openapi({ type: 'string', format: 'date-time', example: '2026-11-20T10:00:00.000Z' });

/** `true` or `false` among the parameters of a question. */
export const flagQuery = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean' });

/** A date-time on the wire: UTC, `Z`, milliseconds. */
export const instantWire = z.string().openapi({ format: 'date-time', example: '2026-11-20T10:00:00.000Z' });
export const dateWire = z.string().openapi({ format: 'date', example: '2026-11-20' });

/** Required text that is not blank. */
export const textInput = z
  .string()
  .refine((text) => text.trim() !== '', 'This field may not be blank.')
  .refine((text) => text.length <= 1_000, 'Must have at most 1,000 characters.');

/** An id that the caller makes: 1 to 256 code points, not white space alone, no control characters, not `.` or `..` (spec/api#ids). */
export const callerIdInput = z
  .string()
  .refine((text) => text.trim() !== '', 'This field may not be blank.')
  .refine((text) => [...text].length <= 256, 'Must have at most 256 characters.')
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters.')
  .refine((text) => text !== '.' && text !== '..', 'Must not be "." or "..".')
  .openapi({ minLength: 1, maxLength: 256 });

/** An object with any keys. `__proto__` is refused, which records of zod drop without a word. */
export function recordInput<T extends z.ZodType>(value: T) {
  return z
    .unknown()
    .refine((sent) => !Object.hasOwn(Object(sent), '__proto__'), 'Must not have the key __proto__.')
    .pipe(z.record(z.string(), value));
}

/** Up to 50 keys with string values of up to 500 characters (spec/api#bodies). */
export const metadataInput = recordInput(z.string().max(500, 'Must have at most 500 characters.'))
  .refine((metadata) => Object.keys(metadata).length <= 50, 'Must have at most 50 keys.')
  .openapi({ type: 'object', additionalProperties: { type: 'string' } });

export const metadataWire = z.record(z.string(), z.string());

/** Beginnings of words, as customers are found by (spec/api#lists). */
export const searchInput = z
  .string()
  .refine((text) => [...text].length <= 320, 'Must have at most 320 characters.')
  .refine((text) => /[\p{L}\p{N}]/u.test(text), 'Must have at least one letter or digit.')
  .openapi({
    description: 'Beginnings of words of id, name or email, in any case; all of them must be there.',
    maxLength: 320,
    example: 'ann acme',
  });

/** An ISO 4217 code in any case, as its upper-case form (spec/api#currencies). */
export const currencyCodeInput = z
  .string()
  .transform((code, context) => {
    const currency = findCurrency(code);
    if (currency) return currency.code;
    context.addIssue({ code: 'custom', message: 'Must be an ISO 4217 currency code.' });
    return z.NEVER;
  })
  .openapi({ type: 'string', example: 'usd' });

export const currencyWire = z
  .object({
    code: z.string().openapi({ description: 'ISO 4217 code, in upper case.', example: 'USD' }),
    name: z.string().openapi({ description: 'Name of the currency.', example: 'US Dollar' }),
    symbol: z.string().openapi({ description: 'Symbol of the currency.', example: '$' }),
  })
  .openapi('Currency', { example: { code: 'USD', name: 'US Dollar', symbol: '$' } });

/** The currency object of a record (spec/api#currencies). */
export function currencyToWire(code: string): z.infer<typeof currencyWire> {
  const { name, symbol } = currencyOf(code);
  return { code, name, symbol };
}

/** `{customer_id}` in a path. */
export const customerPath = z.object({
  customer_id: z
    .string()
    .openapi({ description: 'Id of a customer, chosen by the caller: 1 to 256 characters.', example: 'acme' }),
});

const ADDRESS_LINE_LIMIT = 500;
const addressLine = z.string().max(ADDRESS_LINE_LIMIT, `Must have at most ${ADDRESS_LINE_LIMIT} characters.`);

/** A billing address: any of its parts (spec/customers#record). */
export const addressInput = z
  .strictObject({
    line1: addressLine.openapi({ description: 'Street and number.', example: 'Main Street 1' }),
    city: addressLine.openapi({ description: 'City.', example: 'Berlin' }),
    state: addressLine.openapi({ description: 'State or region.', example: 'BE' }),
    postal_code: addressLine.openapi({ description: 'Postal code.', example: '10115' }),
    country: addressLine.openapi({ description: 'Country.', example: 'DE' }),
  })
  .partial();

export const addressWire = addressInput.openapi('Address');
