import { findPdf } from '../../../services/invoices/invoice-pdf.ts';
import { invoicePath } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const retrieveInvoicePdf = operation({
  id: 'retrieveInvoicePdf',
  method: 'get',
  path: '/api/invoices/{invoice_id}/pdf',
  tag: 'Invoices',
  summary: 'Retrieve an invoice as a PDF document',
  description:
    'The document is made once and kept: the same invoice gives the same bytes until a payment, refund, credit or void changes it.',
  scope: 'read',
  params: invoicePath,
  success: 200,
  downloads: 'application/pdf',
  errors: [503],
  run: async ({ caller: { accountId }, params, read, signal }, { renderer }) => {
    const { invoiceId, invoiceNumber, pdf } = await read((tx) => findPdf(tx, accountId, params.invoice_id));
    const bytes = pdf ?? (await renderer.invoicePdf({ accountId, invoiceId }, signal));
    return { filename: `${invoiceNumber}.pdf`, bytes };
  },
});
