import { z } from '@hono/zod-openapi';
import { listRefunds as listRefundPage, REFUND_SORTS } from '../../../sql/postgres/credits/refunds.ts';
import { REFUND_STATUSES, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery } from '../../pages.ts';

export const listRefunds = operation({
  id: 'listRefunds',
  method: 'get',
  path: '/api/refunds',
  tag: 'Refunds',
  summary: 'List refunds, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({
    customer_id: z.string().optional().openapi({ description: 'Only refunds of this customer.', example: 'acme' }),
    invoice_id: z
      .string()
      .optional()
      .openapi({ description: 'Only refunds of this invoice, named by its id.', example: 'inv_01jd3k9x' }),
    status: z
      .enum(REFUND_STATUSES)
      .optional()
      .openapi({ description: 'Only refunds in this state.', example: 'pending' }),
    sort: sortQuery(REFUND_SORTS),
  }),
  success: 200,
  response: listOf(refundWire),
  run: ({ caller, query, listing, read }) =>
    read(async (tx) => {
      const { customer_id: customerId, invoice_id: invoiceId, status, sort } = query;
      const filter = { customerId, invoiceId, status, sort };
      const page = await listRefundPage(tx, caller.accountId, filter, listing.window);
      return listing.answer(page, refundToWire);
    }),
});
