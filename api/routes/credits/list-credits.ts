import { z } from '@hono/zod-openapi';
import { CREDIT_SORTS, listCredits as listCreditPage } from '../../../sql/postgres/credits/credits.ts';
import { CREDIT_STATUSES, creditToWire, creditWire } from '../../../wire/credits.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery } from '../../pages.ts';

export const listCredits = operation({
  id: 'listCredits',
  method: 'get',
  path: '/api/credits',
  tag: 'Credits',
  summary: 'List credits, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({
    customer_id: z.string().optional().openapi({ description: 'Only credits of this customer.', example: 'acme' }),
    status: z
      .enum(CREDIT_STATUSES)
      .optional()
      .openapi({ description: 'Only credits in this state.', example: 'active' }),
    sort: sortQuery(CREDIT_SORTS),
  }),
  success: 200,
  response: listOf(creditWire),
  run: ({ caller, query, listing, read }) =>
    read(async (tx) => {
      const filter = { customerId: query.customer_id, status: query.status, sort: query.sort };
      const page = await listCreditPage(tx, caller.accountId, filter, listing.window);
      return listing.answer(page, (credit) => creditToWire(credit, credit.customerToday));
    }),
});
