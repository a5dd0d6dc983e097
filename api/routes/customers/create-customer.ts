import { createCustomer as create } from '../../../services/customers/create-customer.ts';
import { customerCreate, customerWire } from '../../../wire/customers.ts';
import { operation } from '../../operation.ts';

export const createCustomer = operation({
  id: 'createCustomer',
  method: 'post',
  path: '/api/customers/',
  tag: 'Customers',
  summary: 'Create a customer',
  description:
    "The id is the caller's own and can never be used again. Currency and time zone decide how periods and invoices are counted.",
  scope: 'write',
  audit: 'customer.created',
  body: customerCreate,
  synonyms: { name: 'customer_name' },
  success: 201,
  response: customerWire,
  errors: [404, 409],
  run: (call, dependencies) => create(call, dependencies, call.caller.accountId, call.body, call.now),
});
