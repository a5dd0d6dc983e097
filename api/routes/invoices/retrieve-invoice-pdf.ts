import { notFound } from '../../../core/domain-error.ts';
import { invoiceDocument } from '../../../documents/invoice-document.ts';
import { renderPdf } from '../../../documents/render-pdf.ts';
import { findInvoice, loadInvoiceParties } from '../../../sql/postgres/invoices/invoices.ts';
import { invoicePath } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const retrieveInvoicePdf = operation({
  id: 'retrieveInvoicePdf',
  method: 'get',
  path: '/api/invoices/{invoice_id}/pdf',
  tag: 'Invoices',
  summary: 'Retrieve an invoice as a PDF document',
  description: 'The same invoice gives the same bytes until a payment, refund, credit or void changes it.',
  scope: 'read',
  params: invoicePath,
  success: 200,
  downloads: 'application/pdf',
  run: async ({ caller: { accountId }, params, read }) => {
    const print = await read(async (tx) => {
      const invoice = await findInvoice(tx, accountId, params.invoice_id);
      if (!invoice) throw notFound(`invoice ${params.invoice_id}`);
      return { invoice, ...(await loadInvoiceParties(tx, accountId, invoice.invoiceId)) };
    });
    const bytes = await renderPdf(invoiceDocument(print));
    return { filename: `${print.invoice.invoiceNumber}.pdf`, bytes };
  },
});
