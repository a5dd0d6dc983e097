import { notFound } from '../../../core/domain-error.ts';
import { endAllSubscriptions } from '../../../services/subscriptions/end-subscriptions.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import {
  findCustomer,
  lockCustomerForUpdate,
  deleteCustomer as saveDeletion,
} from '../../../sql/postgres/customers/customers.ts';
import { CUSTOMER_DELETED, insertOutboxEvent } from '../../../sql/postgres/outbox.ts';
import { assertClockStands } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const deleteCustomer = operation({
  id: 'deleteCustomer',
  method: 'post',
  path: '/api/customers/{customer_id}/delete/',
  tag: 'Customers',
  summary: 'Delete a customer and erase its personal data and usage events',
  description:
    'Its subscriptions end at once and without an invoice; invoices that exist, and the ledger, stay. Its id stays taken. Usage events are erased by a workflow, also those that arrive later.',
  scope: 'write',
  params: customerPath,
  success: 204,
  errors: [409],
  run: ({ caller: { accountId }, params: { customer_id: customerId }, now, write }, { clickhouse }) =>
    withUsage(clickhouse, (usage) =>
      write(async (tx) => {
        const known = await findCustomer(tx, accountId, customerId);
        if (!known) throw notFound(`customer ${customerId}`);
        const at = (await assertClockStands(tx, accountId, known.testClockId)) ?? now;
        if (!(await lockCustomerForUpdate(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
        await endAllSubscriptions({ tx, usage }, accountId, customerId, at);
        await saveDeletion(tx, accountId, customerId, at);
        const data = { customer_id: customerId };
        await insertOutboxEvent(tx, { accountId, type: CUSTOMER_DELETED, subject: `customer/${customerId}`, data });
      }),
    ),
});
