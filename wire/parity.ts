import { z } from '@hono/zod-openapi';
import type { CheckedField } from '../billing/invoices/check-invoice.ts';
import type { Decimal } from '../core/decimal.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { decimalWire, instantWire } from './primitives.ts';

const FIELDS = ['quantity', 'amount', 'subtotal', 'tax_amount', 'total'] as const satisfies CheckedField[];

export const parityDifferenceWire = z
  .object({
    invoice_id: z
      .string()
      .openapi({ description: 'The invoice that differs from what is computed again.', example: 'inv_01jd3k9x' }),
    invoice_number: z.string().openapi({
      description: 'Number of the invoice: per account, without gaps, in order of issue.',
      example: 'INV-000001',
    }),
    line_id: z.string().nullable().openapi({
      description: 'The line that differs; null where it is the invoice as a whole.',
      example: 'line_01jd3k9x',
    }),
    field: z.enum(FIELDS).openapi({ description: 'What differs.', example: 'amount' }),
    billed: decimalWire.openapi({ description: 'What the issued invoice says.', example: 12.5 }),
    recomputed: decimalWire.openapi({ description: 'What comes out when it is computed again.', example: 12 }),
    found_at: instantWire.openapi({ description: 'When it was first found.', example: '2026-11-20T03:00:04.120Z' }),
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
