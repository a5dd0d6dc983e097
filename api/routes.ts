import type { Operation } from './operation.ts';
import { createCustomer } from './routes/customers/create-customer.ts';
import { listCustomers } from './routes/customers/list-customers.ts';
import { retrieveCustomer } from './routes/customers/retrieve-customer.ts';

/** Every operation of the API, in the order of the OpenAPI document. */
export const OPERATIONS: Operation[] = [
  createCustomer,
  retrieveCustomer,
  listCustomers,
];
