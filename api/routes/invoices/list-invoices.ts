import { z } from '@hono/zod-openapi';
import { listInvoices as listInvoicePage } from '../../../sql/postgres/invoices/invoices.ts';
import { INVOICE_STATUSES, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

export const listInvoices = operation({
  id: 'listInvoices',
  method: 'get',
  path: '/api/invoices',
  tag: 'Invoices',
  summary: 'List invoices, newest first',
  scope: 'read',
  query: pageQuery.extend({
    customer_id: z.string().optional(),
    subscription_id: z.string().optional(),
    status: z.enum(INVOICE_STATUSES).optional(),
  }),
  success: 200,
  response: listOf(invoiceWire),
  run: ({ caller, query, url, read }) =>
    read(async (tx) => {
      const filter = { customerId: query.customer_id, subscriptionId: query.subscription_id, status: query.status };
      const page = await listInvoicePage(tx, caller.accountId, filter, windowOf(query));
      return toPage(url, query, page, invoiceToWire);
    }),
});
