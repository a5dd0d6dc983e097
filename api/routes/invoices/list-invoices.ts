import { INVOICE_SORTS, listInvoices as listInvoicePage } from '../../../sql/postgres/invoices/shown-invoices.ts';
import { invoiceFilters, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery } from '../../pages.ts';

export const listInvoices = operation({
  id: 'listInvoices',
  method: 'get',
  path: '/api/invoices',
  tag: 'Invoices',
  summary: 'List invoices, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({
    ...invoiceFilters,
    sort: sortQuery(INVOICE_SORTS),
  }),
  success: 200,
  response: listOf(invoiceWire),
  run: ({ caller, query, listing, read }) =>
    read(async (tx) => {
      const filter = {
        customerId: query.customer_id,
        subscriptionId: query.subscription_id,
        status: query.status,
        number: query.number,
        kind: query.kind,
        issuedFrom: query.issued_from,
        issuedTo: query.issued_to,
        dueBefore: query.due_before,
        minDue: query.min_due,
        pastDue: query.past_due,
        search: query.search,
        sort: query.sort,
      };
      const page = await listInvoicePage(tx, caller.accountId, filter, listing.window);
      return listing.answer(page, invoiceToWire);
    }),
});
