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
export const refundCreate = z.strictObject({
  invoice_id: textInput,
  amount: decimalInput.refine((amount) => amount.gt(0), 'Must be greater than 0.').optional(),
  reason: z.string().max(500).nullable().default(null),
  method: z.enum(REFUND_METHODS).optional(),
  description: z.string().max(1_000).nullable().default(null),
});

/** `{refund_id}` in a path. */
export const refundPath = z.object({ refund_id: z.string() });

export const refundWire = z
  .object({
    refund_id: z.string(),
    invoice_id: z.string(),
    customer_id: z.string(),
    amount: decimalWire,
    currency: currencyWire,
    method: z.enum(REFUND_METHODS),
    reason: z.string().nullable(),
    description: z.string().nullable(),
    status: z.enum(REFUND_STATUSES),
    credit_id: z.string().nullable(),
    processor_refund_id: z.string().nullable(),
    expected_by: dateWire.nullable(),
    created_at: instantWire,
    completed_at: instantWire.nullable(),
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
