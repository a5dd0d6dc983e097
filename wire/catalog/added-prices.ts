import { z } from '@hono/zod-openapi';
import { isFields } from '../../core/fields.ts';
import { canCheckTiers, checkPrices } from '../plan-checks.ts';
import { currencyCodeInput, textInput } from '../primitives.ts';
import { priceRowInputs } from './price-books.ts';

/** Body of POST /api/plans/<plan_id>/prices (spec/price-books#additions): a row, and which price books of the plan get it. */
export const priceAdd = z
  .strictObject({
    metric_id: textInput.openapi({
      description: 'The metric to whose price book the row is added.',
      example: 'metric_01jd3k9x',
    }),
    ...priceRowInputs,
    currency: currencyCodeInput
      .optional()
      .openapi({ description: "The currency of the row's price; by default the plan's own.", example: 'usd' }),
  })
  .superRefine(
    (row, context) => checkPrices(row, (path, message) => context.addIssue({ code: 'custom', path, message })),
    { when: ({ value }) => isFields(value) && canCheckTiers(value.tiers) },
  )
  .openapi({ example: { metric_id: 'metric_01jd3k9x', when: { model: 'gpt-5' }, overage_price: 0.002 } });
export type PriceAdd = z.output<typeof priceAdd>;
