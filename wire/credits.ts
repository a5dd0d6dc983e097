import { z } from '@hono/zod-openapi';
import { type Credit, creditStatus } from '../billing/credits/credits.ts';
import type { Decimal } from '../core/decimal.ts';
import { isoFromInstant, isoOrNull, type LocalDate } from '../core/instants.ts';
import {
  currencyToWire,
  currencyWire,
  dateInput,
  dateWire,
  decimalInput,
  decimalWire,
  instantWire,
  textInput,
} from './primitives.ts';

const REASONS = ['service_credit', 'promotional_credit', 'goodwill_credit', 'overpayment_credit'] as const;

export const CREDIT_STATUSES = ['active', 'consumed', 'expired', 'voided'] as const;

/** Body of POST /api/credits (spec/credits#credits); the amount is in major units. */
export const creditCreate = z
  .strictObject({
    customer_id: textInput.openapi({ description: 'Whose invoices the credit reduces.', example: 'acme' }),
    amount: decimalInput
      .refine((amount) => amount.gt(0), 'Must be greater than 0.')
      .openapi({ description: "Amount in major units of the customer's currency, above 0.", example: 10 }),
    reason: z
      .enum(REASONS)
      .default('service_credit')
      .openapi({ description: 'What kind of credit it is.', example: 'goodwill_credit' }),
    description: z
      .string()
      .max(1_000)
      .nullable()
      .default(null)
      .openapi({ description: 'Why it was given, for people; null: nothing.', example: 'For the outage of Friday' }),
    expires_at: dateInput.nullable().default(null).openapi({
      description: "Last day, in the customer's time zone, on which the credit is applied; null: it never expires.",
      example: null,
    }),
  })
  .openapi({ example: { customer_id: 'acme', amount: 10, reason: 'goodwill_credit' } });
export type CreditCreate = z.output<typeof creditCreate>;

/** Body of POST /api/credits/<id>/update (spec/credits#credits); what is left out stays. */
export const creditUpdate = z
  .strictObject({
    expires_at: dateInput.nullable().optional().openapi({
      description: "Last day, in the customer's time zone, on which the credit is applied; null: it never expires.",
      example: null,
    }),
    description: z
      .string()
      .max(1_000)
      .nullable()
      .optional()
      .openapi({ description: 'Why it was given, for people; null: nothing.', example: 'For the outage of Friday' }),
  })
  .openapi({ example: { expires_at: null } });
export type CreditUpdate = z.output<typeof creditUpdate>;

/** `{credit_id}` in a path. */
export const creditPath = z.object({
  credit_id: z.string().openapi({ description: 'Id of a credit.', example: 'credit_01jd3k9x' }),
});

export const creditWire = z
  .object({
    credit_id: z.string().openapi({ description: 'Id of a credit.', example: 'credit_01jd3k9x' }),
    customer_id: z.string().openapi({ description: 'Whose invoices the credit reduces.', example: 'acme' }),
    amount: decimalWire.openapi({ description: 'What the credit was worth when it was given.', example: 10 }),
    amount_remaining: decimalWire.openapi({
      description: 'What of the credit has not been applied yet; 0 once it is voided.',
      example: 10,
    }),
    currency: currencyWire.openapi({ description: 'Currency of the amounts: that of the customer.' }),
    reason: z.enum(REASONS).openapi({ description: 'What kind of credit it is.', example: 'service_credit' }),
    description: z
      .string()
      .nullable()
      .openapi({ description: 'Why it was given, for people; null: nothing.', example: null }),
    status: z.enum(CREDIT_STATUSES).openapi({
      description: 'consumed: nothing is left; expired and voided ones are not applied any more.',
      example: 'active',
    }),
    expires_at: dateWire.nullable().openapi({
      description: "Last day, in the customer's time zone, on which the credit is applied; null: it never expires.",
      example: null,
    }),
    voided_at: instantWire
      .nullable()
      .openapi({ description: 'When the credit was voided; null where it was not.', example: null }),
    created_at: instantWire.openapi({
      description: 'When the credit was given; in clock time for customers on a test clock.',
    }),
    applications: z
      .array(
        z.object({
          invoice_id: z.string().openapi({ description: 'The invoice that it reduced.', example: 'inv_01jd3k9x' }),
          amount: decimalWire.openapi({ description: 'What the credit was worth when it was given.', example: 10 }),
          applied_at: instantWire.openapi({ description: 'When it was applied.' }),
        }),
      )
      .openapi({ description: 'Where the credit went, oldest first.' }),
  })
  .openapi('Credit');

export const creditBalanceWire = z
  .object({
    customer_id: z.string().openapi({ description: 'Whose invoices the credits reduce.', example: 'acme' }),
    balances: z
      .array(
        z.object({
          currency: currencyWire.openapi({ description: 'Currency of the amount.' }),
          amount_remaining: decimalWire.openapi({
            description: 'What is left of all active credits in this currency, exactly.',
            example: 10,
          }),
          credits: z.number().int().openapi({ description: 'How many credits that is.', example: 1 }),
        }),
      )
      .openapi({ description: 'By currency, in order of its code; empty where nothing is left.' }),
  })
  .openapi('CreditBalance');

/** What is left of a customer's credits, by currency (its upper-case code), as the API returns it. */
export function creditBalanceToWire(
  customerId: string,
  left: readonly { currency: string; amountRemaining: Decimal; credits: number }[],
): z.infer<typeof creditBalanceWire> {
  const balances = left.map(({ currency, amountRemaining, credits }) => {
    return { currency: currencyToWire(currency), amount_remaining: amountRemaining, credits };
  });
  return { customer_id: customerId, balances };
}

/** The credit as the API returns it; `today` is the customer's local date, on which its expiry is judged. */
export function creditToWire(credit: Credit, today: LocalDate): z.infer<typeof creditWire> {
  return {
    credit_id: credit.creditId,
    customer_id: credit.customerId,
    amount: credit.amount,
    amount_remaining: credit.amountRemaining,
    currency: currencyToWire(credit.currency),
    reason: credit.reason,
    description: credit.description,
    status: creditStatus(credit, today),
    expires_at: credit.expiresAt,
    voided_at: isoOrNull(credit.voidedAt),
    created_at: isoFromInstant(credit.createdAt),
    applications: credit.applications.map((application) => ({
      invoice_id: application.invoiceId,
      amount: application.amount,
      applied_at: isoFromInstant(application.appliedAt),
    })),
  };
}
