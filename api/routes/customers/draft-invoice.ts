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
    'Lists every invoice that will be issued if nothing else happens, credits included, as the parts `invoices`; `as_of` says up to when ' +
    'usage is in it. A part that depends on a call, as the resume of a paused subscription, has a `condition` and is not in the totals. ' +
    'With a planned switch the lines of its new subscription name the old one.',
  scope: 'read',
  params: customerPath,
  success: 200,
  inThread: true,
  response: draftInvoiceWire,
  run: ({ caller: { accountId }, params: { customer_id: customerId }, now, room }, dependencies) =>
    draft({ ...dependencies, room }, { accountId, customerId }, now),
});
