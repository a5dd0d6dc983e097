import { z } from '@hono/zod-openapi';
import { type Credit, creditStatus } from '../billing/credits/credits.ts';
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
export const creditCreate = z.strictObject({
  customer_id: textInput,
  amount: decimalInput.refine((amount) => amount.gt(0), 'Must be greater than 0.'),
  reason: z.enum(REASONS).default('service_credit'),
  description: z.string().max(1_000).nullable().default(null),
  expires_at: dateInput.nullable().default(null),
});

/** Body of POST /api/credits/<id>/update (spec/credits#credits); what is left out stays. */
export const creditUpdate = z.strictObject({
  expires_at: dateInput.nullable().optional(),
  description: z.string().max(1_000).nullable().optional(),
});

/** `{credit_id}` in a path. */
export const creditPath = z.object({ credit_id: z.string() });

export const creditWire = z
  .object({
    credit_id: z.string(),
    customer_id: z.string(),
    amount: decimalWire,
    amount_remaining: decimalWire,
    currency: currencyWire,
    reason: z.enum(REASONS),
    description: z.string().nullable(),
    status: z.enum(CREDIT_STATUSES),
    expires_at: dateWire.nullable(),
    voided_at: instantWire.nullable(),
    created_at: instantWire,
    applications: z.array(z.object({ invoice_id: z.string(), amount: decimalWire, applied_at: instantWire })),
  })
  .openapi('Credit');

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
