import { notFound } from '../../../core/domain-error.ts';
import { findRefund } from '../../../sql/postgres/credits/refunds.ts';
import { refundPath, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { operation } from '../../operation.ts';

export const retrieveRefund = operation({
  id: 'retrieveRefund',
  method: 'get',
  path: '/api/refunds/{refund_id}',
  tag: 'Refunds',
  summary: 'Retrieve a refund',
  scope: 'read',
  params: refundPath,
  success: 200,
  response: refundWire,
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const refund = await findRefund(tx, caller.accountId, params.refund_id);
      if (!refund) throw notFound(`refund ${params.refund_id}`);
      return refundToWire(refund);
    }),
});
