import { z } from '@hono/zod-openapi';
import { REFUND_METHODS, type Refund } from '../billing/credits/refunds.ts';
import { isoFromInstant, isoOrNull } from '../core/instants.ts';
import {
  currencyToWire,
  currencyWire,
  dateWire,
  decimalInput,
  decimalWire,
  instantWire,
  textInput,
} from './primitives.ts';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;

/** Body of POST /api/refunds (spec/credits#refunds); the amount is in major units, the invoice named by its id or its number. */
export const refundCreate = z
  .strictObject({
    invoice_id: textInput.openapi({ description: 'Id or number of the invoice that was paid.', example: 'INV-000001' }),
    amount: decimalInput
      .refine((amount) => amount.gt(0), 'Must be greater than 0.')
      .optional()
      .openapi({ description: 'Amount in major units; without it all that was paid and not given back.', example: 5 }),
    reason: z
      .string()
      .max(500)
      .nullable()
      .default(null)
      .openapi({ description: 'Why money goes back, in your words.', example: 'duplicate' }),
    method: z
      .enum(REFUND_METHODS)
      .optional()
      .openapi({ description: 'How the money goes back; without it the way that it came.', example: 'bank_transfer' }),
    description: z
      .string()
      .max(1_000)
      .nullable()
      .default(null)
      .openapi({ description: 'More about it, for people.', example: null }),
  })
  .openapi({ example: { invoice_id: 'INV-000001', amount: 5, reason: 'duplicate' } });
export type RefundCreate = z.output<typeof refundCreate>;

/** `{refund_id}` in a path. */
export const refundPath = z.object({
  refund_id: z.string().openapi({ description: 'Id of a refund.', example: 'refund_01jd3k9x' }),
});

export const refundWire = z
  .object({
    refund_id: z.string().openapi({ description: 'Id of a refund.', example: 'refund_01jd3k9x' }),
    invoice_id: z
      .string()
      .openapi({ description: 'The invoice whose payment is given back.', example: 'inv_01jd3k9x' }),
    customer_id: z.string().openapi({ description: 'Who gets the money.', example: 'acme' }),
    amount: decimalWire.openapi({ description: 'What is given back.', example: 5 }),
    currency: currencyWire.openapi({ description: 'Currency of the amount: that of the invoice.' }),
    method: z.enum(REFUND_METHODS).openapi({ description: 'How the money goes back.', example: 'bank_transfer' }),
    reason: z.string().nullable().openapi({ description: 'Why money goes back, in your words.', example: 'duplicate' }),
    description: z.string().nullable().openapi({ description: 'More about it, for people.', example: null }),
    status: z.enum(REFUND_STATUSES).openapi({ description: 'pending: the money is on its way.', example: 'succeeded' }),
    credit_id: z
      .string()
      .nullable()
      .openapi({ description: 'The credit that was made of it, with method credit; else null.', example: null }),
    processor_refund_id: z
      .string()
      .nullable()
      .openapi({ description: 'Id of the refund at the processor.', example: null }),
    expected_by: dateWire.nullable().openapi({
      description: 'When the money should have arrived: 10 business days for original_payment, 3 for bank_transfer.',
      example: null,
    }),
    created_at: instantWire.openapi({ description: 'When the refund was asked for.' }),
    completed_at: instantWire
      .nullable()
      .openapi({ description: 'When it succeeded, failed or was canceled.', example: null }),
  })
  .openapi('Refund');

export type RefundWire = z.infer<typeof refundWire>;

/** The refund as the API returns it. */
export function refundToWire(refund: Refund): RefundWire {
  return {
    refund_id: refund.refundId,
    invoice_id: refund.invoiceId,
    customer_id: refund.customerId,
    amount: refund.amount,
    currency: currencyToWire(refund.currency),
    method: refund.method,
    reason: refund.reason,
    description: refund.description,
    status: refund.status,
    credit_id: refund.creditId,
    processor_refund_id: refund.processorRefundId,
    expected_by: refund.expectedBy,
    created_at: isoFromInstant(refund.createdAt),
    completed_at: isoOrNull(refund.completedAt),
  };
}
