import type { Action } from '../../actions/action.ts';
import type { AnswerOf } from '../../api/client.ts';

export type InvoiceRecord = AnswerOf<'/api/invoices/{invoice_id}'>;

/** What can be done with an invoice in its state. */
export function invoiceActions({ invoice_id, status }: InvoiceRecord): Action[] {
  const path = { invoice_id: String(invoice_id) };
  const markPaid: Action = {
    name: 'Mark as paid',
    about: 'It was paid elsewhere, in full.',
    call: { method: 'post', to: '/api/invoices/{invoice_id}/mark_paid', path },
    fields: [
      { name: 'reference', help: 'Such as the number of the bank transfer.' },
      { name: 'paid_at', kind: 'instant' },
    ],
  };
  const pay: Action = {
    name: 'Charge now',
    about: "Charges the customer's payment method at once.",
    call: { method: 'post', to: '/api/invoices/{invoice_id}/pay', path },
  };
  const uncollectible: Action = {
    name: 'Mark as uncollectible',
    call: { method: 'post', to: '/api/invoices/{invoice_id}/mark_uncollectible', path },
  };
  const voided: Action = {
    name: 'Void invoice',
    about: 'The customer owes nothing of it any more; credits that it used are restored.',
    call: { method: 'post', to: '/api/invoices/{invoice_id}/void', path },
    isFinal: true,
  };
  const refund: Action = {
    name: 'New refund',
    call: { method: 'post', to: '/api/refunds' },
    fixed: { invoice_id: String(invoice_id) },
    fields: [
      { name: 'amount', kind: 'number', help: 'All that is left to refund, where it is empty.' },
      { name: 'method', kind: 'choice', options: ['original_payment', 'bank_transfer', 'store_credit'] },
      { name: 'reason' },
      { name: 'description' },
    ],
  };
  if (status === 'open') return [markPaid, pay, uncollectible, voided];
  if (status === 'uncollectible') return [markPaid, voided];
  return status === 'paid' ? [refund] : [];
}
