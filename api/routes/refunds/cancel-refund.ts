import { cancelRefund as cancel } from '../../../services/credits/cancel-refund.ts';
import { refundPath, refundWire } from '../../../wire/refunds.ts';
import { operation } from '../../operation.ts';

export const cancelRefund = operation({
  id: 'cancelRefund',
  method: 'post',
  path: '/api/refunds/{refund_id}/cancel',
  tag: 'Refunds',
  summary: 'Call off a bank transfer that has not been made',
  scope: 'write',
  audit: 'refund.canceled',
  params: refundPath,
  success: 200,
  response: refundWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { refund_id: refundId }, now, write }) =>
    write((tx) => cancel(tx, { accountId, refundId }, now)),
});
