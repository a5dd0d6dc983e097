import { type Credit, newCredit } from '../../../billing/credits.ts';
import type { IssuedInvoice } from '../../../billing/invoice.ts';
import { postRefundCredited } from '../../../billing/ledger.ts';
import { type PlannedRefund, planRefund } from '../../../billing/refunds.ts';
import { newId } from '../../../runtime/ids.ts';
import { insertOutboxEvent } from '../../../sql/outbox.ts';
import { insertRefund, listRefundsOfInvoice } from '../../../sql/refunds.ts';
import { saveCredit } from '../../../sql/save-credit.ts';
import { refundCreate, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { lockInvoiceForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const createRefund = operation({
  method: 'post',
  path: '/api/refunds',
  tag: 'Refunds',
  summary: 'Give back money that was paid for an invoice',
  description:
    'All that is left of it unless `amount` says less. `original_payment` (default where a processor took the money) goes ' +
    'back through the processor, `bank_transfer` waits until it is completed by hand, `store_credit` (default elsewhere) ' +
    'is a credit at once.',
  scope: 'write',
  body: refundCreate,
  success: 201,
  response: refundWire,
  errors: [404, 409],
  run: ({ caller: { accountId }, body, now, write }) =>
    write(async (tx) => {
      const { invoice, customer, at, today } = await lockInvoiceForChange(tx, accountId, body.invoice_id, now);
      const earlier = await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
      const planned = planRefund(invoice, earlier, body, { at, today });
      const refundId = newId('refund');
      const credit = planned.method === 'store_credit' ? storeCredit(planned, invoice) : null;
      if (credit) {
        const origin = { accountId, timeZone: customer.timeZone, invoiceId: invoice.invoiceId, refundId };
        await saveCredit(tx, credit, postRefundCredited(credit.amount), origin);
      }
      const refund = { ...planned, refundId, creditId: credit?.creditId ?? null };
      await insertRefund(tx, accountId, refund);
      const data = refundToWire(refund);
      const told = { accountId, subject: `refund/${refundId}`, data };
      await insertOutboxEvent(tx, { ...told, type: 'refund.created' });
      if (refund.status === 'succeeded') await insertOutboxEvent(tx, { ...told, type: 'refund.succeeded' });
      return data;
    }),
});

/** What the customer gets instead of money (contract 9: "store_credit makes an overpayment credit"). */
function storeCredit(refund: PlannedRefund, invoice: IssuedInvoice): Credit {
  return newCredit({
    creditId: newId('credit'),
    customerId: refund.customerId,
    amount: refund.amount,
    currency: refund.currency,
    reason: 'overpayment_credit',
    description: refund.description ?? `Refund of invoice ${invoice.invoiceNumber}`,
    expiresAt: null,
    createdAt: refund.createdAt,
  });
}
