import { payInvoice as pay } from '../../../services/payments/pay.ts';
import type { InvoiceRef } from '../../../services/references.ts';
import { invoicePath, invoiceWire } from '../../../wire/invoices.ts';
import { operation } from '../../operation.ts';

export const payInvoice = operation({
  id: 'payInvoice',
  method: 'post',
  path: '/api/invoices/{invoice_id}/pay',
  tag: 'Invoices',
  summary: 'Collect what is due now, through the payment processor of the customer',
  description:
    'Answers with the invoice after the attempt: `paid` where the money is here, unchanged where the payment was declined ' +
    '(`subscription.failed` tells it), is still worked on, or waits for the customer to act. A try that waits for the ' +
    'customer is taken back by the next one.',
  scope: 'write',
  audit: 'invoice.payment_requested',
  params: invoicePath,
  success: 200,
  response: invoiceWire,
  errors: [409],
  run: async (call, { workflows, connections }) => {
    const { origin, operation } = call;
    const { operationId, formerIds } = operation;
    const collect = (invoice: InvoiceRef) => workflows.payInvoice(invoice, { operationId, formerIds, origin });
    const { room, params } = call;
    const asked = { accountId: call.caller.accountId, idOrNumber: params.invoice_id, room };
    return call.keep(await pay(call, { connections, collect }, asked));
  },
});
