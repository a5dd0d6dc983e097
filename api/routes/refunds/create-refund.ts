import { createRefund as create } from '../../../services/credits/create-refund.ts';
import { refundCreate, refundWire } from '../../../wire/refunds.ts';
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
  audit: 'refund.created',
  body: refundCreate,
  success: 201,
  previews: true,
  response: refundWire,
  errors: [404, 409],
  run: ({ caller, body, now, write }) => write((tx) => create(tx, caller.accountId, body, now)),
});
