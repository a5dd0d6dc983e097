import { completeRefund as complete } from '../../../services/credits/complete-refund.ts';
import { refundPath, refundWire } from '../../../wire/refunds.ts';
import { operation } from '../../operation.ts';

export const completeRefund = operation({
  id: 'completeRefund',
  method: 'post',
  path: '/api/refunds/{refund_id}/complete',
  tag: 'Refunds',
  summary: 'Record that a bank transfer has been made',
  scope: 'write',
  audit: 'refund.completed',
  params: refundPath,
  success: 200,
  response: refundWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { refund_id: refundId }, now, write }) =>
    write((tx) => complete(tx, { accountId, refundId }, now)),
});
