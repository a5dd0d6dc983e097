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
  total: decimalWire.openapi({ description: 'Charges and tax.', example: 11.9 }),
  amount_due: decimalWire.openapi({
    description: 'What is left of the total to be paid after credits.',
    example: 11.9,
  }),
});

/** The answer with `preview=true` (spec/api#previews). */
export const changePreview = z
  .object({
    result: record.openapi({
      description: 'What the call would answer; ids and numbers that are not there yet are null.',
    }),
    invoices: z.array(record).openapi({ description: 'The invoices that it would make, in order.' }),
    credits: z.array(record).openapi({ description: 'The credits that it would make, in order.' }),
    refunds: z.array(record).openapi({ description: 'The refunds that it would make, in order.' }),
    draft_before: draftSums.openapi({ description: "What the customer's draft invoice comes to now." }),
    draft_after: draftSums.openapi({ description: 'What it would come to after the call.' }),
  })
  .openapi('ChangePreview');

export type ChangePreview = z.infer<typeof changePreview>;
