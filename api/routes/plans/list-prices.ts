import { z } from '@hono/zod-openapi';
import { listPlanPrices } from '../../../services/catalog/list-prices.ts';
import { priceRowToWire, priceRowWire } from '../../../wire/catalog/price-books.ts';
import { planPath } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

const listedPriceWire = priceRowWire
  .extend({ metric_id: z.string().openapi({ description: 'The metric that it prices.', example: 'metric_01jd3k9x' }) })
  .openapi('ListedPrice');

export const listPrices = operation({
  id: 'listPrices',
  method: 'get',
  path: '/api/plans/{plan_id}/prices',
  tag: 'Plans',
  summary: "List the rows of a plan's price books, in the order in which they came",
  description:
    'Of its latest version, or of the one named. For plans of which a list, or an answer of at most 8 MiB, leaves the rows out.',
  scope: 'read',
  params: planPath,
  query: pageQuery.extend({
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'Must be a version: 1, 2, ...')
      .transform(Number)
      .optional()
      .openapi({
        description: 'A version of the plan; without it the latest.',
        example: 1,
        type: 'integer',
        minimum: 1,
      }),
    metric_id: z.string().optional().openapi({ description: 'Only rows of this metric.', example: 'metric_01jd3k9x' }),
    currency: z
      .string()
      .optional()
      .openapi({ description: "One of the plan's further currencies; without it its own.", example: 'eur' }),
  }),
  success: 200,
  response: listOf(listedPriceWire),
  errors: [404],
  run: async ({ caller: { accountId }, params: { plan_id: planId }, query, listing, read }) => {
    const wanted = { version: query.version, metricId: query.metric_id, currency: query.currency?.toUpperCase() };
    const page = await read((tx) => listPlanPrices(tx, { accountId, planId }, wanted, listing.window));
    return listing.answer(page, ({ metricId, row }) => ({ ...priceRowToWire(row), metric_id: metricId }));
  },
});
