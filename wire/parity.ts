import { z } from '@hono/zod-openapi';
import type { CheckedField } from '../billing/invoices/check-invoice.ts';
import type { Decimal } from '../core/decimal.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { decimalWire, instantWire } from './primitives.ts';

const FIELDS = ['quantity', 'amount', 'subtotal', 'tax_amount', 'total'] as const satisfies CheckedField[];

export const parityDifferenceWire = z
  .object({
    invoice_id: z.string(),
    invoice_number: z.string(),
    line_id: z.string().nullable(),
    field: z.enum(FIELDS),
    billed: decimalWire,
    recomputed: decimalWire,
    found_at: instantWire,
  })
  .openapi('ParityDifference');

/** A difference as the API returns it; `line_id` null: of the invoice as a whole. */
export function parityDifferenceToWire(entry: {
  invoiceId: string;
  invoiceNumber: string;
  lineId: string | null;
  field: CheckedField;
  billed: Decimal;
  recomputed: Decimal;
  foundAt: Instant;
}): z.infer<typeof parityDifferenceWire> {
  return {
    invoice_id: entry.invoiceId,
    invoice_number: entry.invoiceNumber,
    line_id: entry.lineId,
    field: entry.field,
    billed: entry.billed,
    recomputed: entry.recomputed,
    found_at: isoFromInstant(entry.foundAt),
  };
}
