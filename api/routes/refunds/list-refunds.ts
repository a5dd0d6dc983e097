import { z } from '@hono/zod-openapi';
import { listRefunds as listRefundPage, REFUND_SORTS } from '../../../sql/postgres/credits/refunds.ts';
import { REFUND_STATUSES, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery, toPage, windowOf } from '../../pages.ts';

export const listRefunds = operation({
  id: 'listRefunds',
  method: 'get',
  path: '/api/refunds',
  tag: 'Refunds',
  summary: 'List refunds, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({
    customer_id: z.string().optional(),
    invoice_id: z.string().optional(),
    status: z.enum(REFUND_STATUSES).optional(),
    sort: sortQuery(REFUND_SORTS),
  }),
  success: 200,
  response: listOf(refundWire),
  run: ({ caller, query, url, read }) =>
    read(async (tx) => {
      const { customer_id: customerId, invoice_id: invoiceId, status, sort } = query;
      const filter = { customerId, invoiceId, status, sort };
      const page = await listRefundPage(tx, caller.accountId, filter, windowOf(query));
      return toPage(url, query, page, refundToWire);
    }),
});
