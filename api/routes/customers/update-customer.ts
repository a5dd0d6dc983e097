import { updateCustomer as update } from '../../../services/customers/update-customer.ts';
import { customerUpdate, customerWire } from '../../../wire/customers.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const updateCustomer = operation({
  id: 'updateCustomer',
  method: 'patch',
  path: '/api/customers/{customer_id}/',
  tag: 'Customers',
  summary: 'Change a customer',
  description:
    'A new tax rate counts from the next invoice, a new time zone for periods not yet started. The currency stays once there is a live subscription or an invoice, the test clock once there is a subscription, an invoice or a credit.',
  scope: 'write',
  audit: 'customer.updated',
  params: customerPath,
  body: customerUpdate,
  synonyms: { name: 'customer_name' },
  success: 200,
  response: customerWire,
  errors: [409],
  run: (call, dependencies) => {
    const { accountId } = call.caller;
    return update(call, dependencies, { accountId, customerId: call.params.customer_id }, call.body, call.room);
  },
});
