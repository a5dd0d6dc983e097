import { z } from '@hono/zod-openapi';
import { currencyWire, decimalWire, flagQuery } from './primitives.ts';

/** The parameter of what can be previewed. */
export const previewQuery = {
  preview: flagQuery.optional().openapi({
    description: 'With true nothing is done: the answer is what it would do.',
    example: true,
  }),
};

const record = z.record(z.string(), z.unknown());

/** A record as the API returns it, where what has no id yet is null. */
export type PreviewedRecord = z.infer<typeof record>;

const draftSums = z.object({
  currency: currencyWire.openapi({ description: "The customer's currency." }),
  total: decimalWire.openapi({ description: 'Charges and tax of all its invoices.', example: 60 }),
  amount_due: decimalWire.openapi({
    description: 'The part of the total that is still to be paid after credits.',
    example: 60,
  }),
});

const payerSums = draftSums
  .extend({ customer_id: z.string().openapi({ description: 'The customer that pays.', example: 'acme-group' }) })
  .openapi('PayerDraftSums');

const draftsSums = draftSums.extend({
  payer: z.union([payerSums, z.null()]).openapi({
    description: 'The same of the draft of the customer that pays for this one. Null if nobody else pays.',
    example: null,
  }),
});

/** The answer with `preview=true` (spec/api#previews). */
export const changePreview = z
  .object({
    result: record.openapi({
      description: 'What the call would answer; ids and numbers that are not there yet are null.',
    }),
    invoices: z.array(record).openapi({
      description:
        'The invoices that the call would make, in order. Behind them are the parts of the draft after the call that the draft before it ' +
        'does not have. These have status `draft`, the `issue_date` on which they will be issued, and null as id and number.',
      example: [
        {
          invoice_id: null,
          invoice_number: null,
          kind: 'proration',
          status: 'open',
          issue_date: '2026-03-11',
          total: 20,
        },
        {
          invoice_id: null,
          invoice_number: null,
          kind: 'period',
          status: 'draft',
          issue_date: '2026-03-31',
          total: 40,
        },
      ],
    }),
    credits: z.array(record).openapi({ description: 'The credits that it would make, in order.' }),
    refunds: z.array(record).openapi({ description: 'The refunds that it would make, in order.' }),
    draft_before: draftsSums.openapi({ description: "The sums of the customer's draft invoice before the call." }),
    draft_after: draftsSums.openapi({
      description: 'The sums of the draft after the call. Parts with a condition are not counted.',
    }),
  })
  .openapi('ChangePreview');

export type ChangePreview = z.infer<typeof changePreview>;
