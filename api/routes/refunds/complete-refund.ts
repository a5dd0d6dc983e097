import { settleByHand } from '../../../billing/credits/refunds.ts';
import { postRefundPaid } from '../../../billing/ledger/ledger.ts';
import { updateRefund } from '../../../sql/postgres/credits/refunds.ts';
import { insertLedgerTransaction } from '../../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../../sql/postgres/outbox.ts';
import { refundPath, refundToWire, refundWire } from '../../../wire/refunds.ts';
import { lockRefundForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const completeRefund = operation({
  id: 'completeRefund',
  method: 'post',
  path: '/api/refunds/{refund_id}/complete',
  tag: 'Refunds',
  summary: 'Record that a bank transfer has been made',
  scope: 'write',
  params: refundPath,
  success: 200,
  response: refundWire,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write(async (tx) => {
      const { refund, at } = await lockRefundForChange(tx, accountId, params.refund_id, now);
      const completed = settleByHand(refund, 'complete', at);
      const { refundId, invoiceId, customerId, currency, amount } = completed;
      await updateRefund(tx, accountId, completed);
      const subject = { accountId, customerId, currency, at, invoiceId, refundId };
      await insertLedgerTransaction(tx, subject, postRefundPaid(amount));
      const data = refundToWire(completed);
      await insertOutboxEvent(tx, { accountId, type: 'refund.succeeded', subject: `refund/${refundId}`, data });
      return data;
    }),
});
