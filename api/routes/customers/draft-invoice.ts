import { draftInvoice as draft } from '../../../services/invoices/draft.ts';
import { draftInvoiceWire } from '../../../wire/invoices.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const draftInvoice = operation({
  id: 'retrieveDraftInvoice',
  method: 'get',
  path: '/api/customers/{customer_id}/draft_invoice/',
  tag: 'Customers',
  summary: 'What the next boundary would invoice now; computed as the final invoice is, and nothing is written',
  description:
    'For all live subscriptions, credits included; invoices has it by subscription, as_of says up to when usage is in it. It may change ' +
    'until the period ends. With a planned switch the lines that its new subscription will have name the old one, which is there.',
  scope: 'read',
  params: customerPath,
  success: 200,
  inThread: true,
  response: draftInvoiceWire,
  run: ({ caller: { accountId }, params: { customer_id: customerId }, now }, dependencies) =>
    draft(dependencies, { accountId, customerId }, now),
});
