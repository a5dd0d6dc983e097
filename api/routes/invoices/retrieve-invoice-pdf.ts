import { loadPrint } from '../../../services/invoices/load-print.ts';
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
  run: async ({ caller, params, read }) => {
    const print = await read((tx) => loadPrint(tx, caller.accountId, params.invoice_id));
    // What lays pages out is loaded with the first of them, and not by each start of a process.
    const { invoiceDocument } = await import('../../../documents/invoice-document.ts');
    const { renderPdf } = await import('../../../documents/render-pdf.ts');
    const bytes = await renderPdf(invoiceDocument(print));
    return { filename: `${print.invoice.invoiceNumber}.pdf`, bytes };
  },
});
