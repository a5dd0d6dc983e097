import { planRefund } from '../../../billing/credits/refunds.ts';
import { saveRefund } from '../../../services/credits/save-refund.ts';
import { loadCreditedBack } from '../../../sql/postgres/credits/given-as-credit.ts';
import { listRefundsOfInvoice } from '../../../sql/postgres/credits/refunds.ts';
import { refundCreate, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { lockInvoiceForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const createRefund = operation({
  id: 'createRefund',
  method: 'post',
  path: '/api/refunds',
  tag: 'Refunds',
  summary: 'Give back money that was paid for an invoice',
  description:
    'All that is left of it unless `amount` says less. `original_payment` (default where a processor took the money) goes ' +
    'back through the processor, `bank_transfer` waits until it is completed by hand, `store_credit` (default elsewhere) ' +
    'is a credit at once. One that fails may be asked for again; where it was the refund of a cancel, store credit takes its ' +
    'place by itself.',
  scope: 'write',
  body: refundCreate,
  success: 201,
  response: refundWire,
  errors: [404, 409],
  run: ({ caller: { accountId }, body, now, write }) =>
    write(async (tx) => {
      const { invoice, customer, at, today } = await lockInvoiceForChange(tx, accountId, body.invoice_id, now);
      const earlier = await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
      const creditedBack = await loadCreditedBack(tx, accountId, invoice.invoiceId);
      const planned = planRefund(invoice, earlier, body, { at, today }, creditedBack);
      const of = { accountId, timeZone: customer.timeZone, invoice };
      return refundToWire(await saveRefund(tx, of, planned));
    }),
});
