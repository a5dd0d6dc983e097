import { loadCustomerRecord } from '../../../services/customers/customer-records.ts';
import { customerToWire, customerWire } from '../../../wire/customers.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const retrieveCustomer = operation({
  id: 'retrieveCustomer',
  method: 'get',
  path: '/api/customers/{customer_id}/',
  tag: 'Customers',
  summary: 'Retrieve a customer with its live subscriptions, newest invoices and total due',
  scope: 'read',
  params: customerPath,
  success: 200,
  response: customerWire,
  errors: [404],
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, room, readWithUsage }) => {
    const { customer, billing } = await readWithUsage((stores) =>
      loadCustomerRecord(stores, { accountId, customerId }, room),
    );
    return customerToWire(customer, billing);
  },
});
