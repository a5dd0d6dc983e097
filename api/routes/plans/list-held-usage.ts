import { z } from '@hono/zod-openapi';
import { listHeldUsage as listHeld } from '../../../services/usage/list-held-usage.ts';
import { heldRecordToWire, heldRecordWire } from '../../../wire/catalog/held-usage.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listHeldUsage = operation({
  id: 'listHeldUsage',
  method: 'get',
  path: '/api/held-usage',
  tag: 'Plans',
  summary: 'List usage that waits for a price',
  description:
    'What no row of a price book prices where `unmatched` is `hold`: of billed periods as it was billed, then of those that are not billed yet, ' +
    'newest subscriptions first. A row that prices it, `POST /api/plans/{plan_id}/prices`, takes it off the list.',
  scope: 'read',
  query: pageQuery.extend({
    customer_id: z.string().optional().openapi({ description: 'Only usage of this customer.', example: 'acme' }),
    plan_id: z
      .string()
      .optional()
      .openapi({ description: 'Only usage billed by this plan.', example: 'plan_01jd3k9x' }),
  }),
  success: 200,
  response: listOf(heldRecordWire),
  errors: [404],
  run: async ({ caller, query, listing }, dependencies) => {
    const filter = { customerId: query.customer_id, planId: query.plan_id };
    const page = await listHeld(dependencies, caller.accountId, filter, listing.window);
    return listing.answer(page, heldRecordToWire);
  },
});
