import { voidInvoice as voided } from '../../../billing/invoices/void-invoice.ts';
import { listCreditUses, restoreCredit } from '../../../sql/postgres/credits/credit-changes.ts';
import { lockCredits } from '../../../sql/postgres/credits/credits.ts';
import { updateInvoiceStatus } from '../../../sql/postgres/invoices/invoices.ts';
import { insertLedgerTransaction } from '../../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../../sql/postgres/outbox.ts';
import { hasLiveAttempt } from '../../../sql/postgres/payments/payment-attempts.ts';
import { invoicePath, invoiceToWire, invoiceWire } from '../../../wire/invoices.ts';
import { lockInvoiceForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const voidInvoice = operation({
  id: 'voidInvoice',
  method: 'post',
  path: '/api/invoices/{invoice_id}/void',
  tag: 'Invoices',
  summary: 'Void an invoice that is not paid, and give back the credits it used',
  description: 'Its amounts stay as they were issued; nothing of them is due any more.',
  scope: 'write',
  params: invoicePath,
  success: 200,
  response: invoiceWire,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write(async (tx) => {
      const { invoice: before, at } = await lockInvoiceForChange(tx, accountId, params.invoice_id, now);
      const { invoiceId, customerId, currency } = before;
      await lockCredits(tx, accountId, customerId);
      const uses = await listCreditUses(tx, accountId, invoiceId);
      const inFlight = await hasLiveAttempt(tx, accountId, invoiceId);
      const { invoice, restorations, posting } = voided(before, uses, { at, inFlight });
      await updateInvoiceStatus(tx, accountId, invoice);
      const subject = { accountId, customerId, currency, at, invoiceId };
      await insertLedgerTransaction(tx, subject, posting);
      for (const restoration of restorations) {
        await restoreCredit(tx, accountId, invoiceId, restoration, at);
        for (const one of restoration.postings) {
          await insertLedgerTransaction(tx, { ...subject, creditId: restoration.creditId }, one);
        }
      }
      const data = invoiceToWire(invoice);
      await insertOutboxEvent(tx, { accountId, type: 'invoice.voided', subject: `invoice/${invoiceId}`, data });
      return data;
    }),
});
