import { listLines } from '../../../services/invoices/lines/list-invoice-lines.ts';
import { lineToWire, lineWire } from '../../../wire/invoice-lines.ts';
import { invoicePath } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listInvoiceLines = operation({
  id: 'listInvoiceLines',
  method: 'get',
  path: '/api/invoices/{invoice_id}/lines',
  tag: 'Invoices',
  summary: 'List the lines of an invoice, in their order',
  description: 'For invoices of which a list, or an answer of at most 8 MiB, leaves the lines out.',
  scope: 'read',
  params: invoicePath,
  query: pageQuery,
  success: 200,
  response: listOf(lineWire),
  errors: [404],
  run: async ({ caller: { accountId }, params: { invoice_id: invoiceId }, listing, read }) => {
    const page = await read((tx) => listLines(tx, { accountId, invoiceId }, listing.window));
    return listing.answer(page, ({ line, customerId }) => lineToWire(line, customerId));
  },
});
