import { settleByHand } from '../../../billing/credits/refunds.ts';
import { updateRefund } from '../../../sql/postgres/credits/refunds.ts';
import { refundPath, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { lockRefundForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const cancelRefund = operation({
  id: 'cancelRefund',
  method: 'post',
  path: '/api/refunds/{refund_id}/cancel',
  tag: 'Refunds',
  summary: 'Call off a bank transfer that has not been made',
  scope: 'write',
  params: refundPath,
  success: 200,
  response: refundWire,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write(async (tx) => {
      const { refund, at } = await lockRefundForChange(tx, accountId, params.refund_id, now);
      const canceled = settleByHand(refund, 'cancel', at);
      await updateRefund(tx, accountId, canceled);
      return refundToWire(canceled);
    }),
});
