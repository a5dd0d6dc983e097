import { deleteCustomer as remove } from '../../../services/customers/delete-customer.ts';
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
  audit: 'customer.deleted',
  params: customerPath,
  success: 204,
  errors: [409],
  run: ({ caller: { accountId }, params: { customer_id: customerId }, now, writeWithUsage }) =>
    writeWithUsage((stores) => remove(stores, { accountId, customerId }, now)),
});
