import type { Operation } from './operation.ts';
import { createCustomer } from './routes/customers/create-customer.ts';
import { draftInvoice } from './routes/customers/draft-invoice.ts';
import { listCustomers } from './routes/customers/list-customers.ts';
import { retrieveCustomer } from './routes/customers/retrieve-customer.ts';
import { listInvoices } from './routes/invoices/list-invoices.ts';
import { markPaid } from './routes/invoices/mark-paid.ts';
import { retrieveInvoice } from './routes/invoices/retrieve-invoice.ts';
import { createSubscription } from './routes/subscriptions/create-subscription.ts';
import { listSubscriptions } from './routes/subscriptions/list-subscriptions.ts';
import { retrieveSubscription } from './routes/subscriptions/retrieve-subscription.ts';
import { advanceTestClock } from './routes/test-clocks/advance-test-clock.ts';
import { createTestClock } from './routes/test-clocks/create-test-clock.ts';
import { deleteTestClock } from './routes/test-clocks/delete-test-clock.ts';
import { listTestClocks } from './routes/test-clocks/list-test-clocks.ts';
import { retrieveTestClock } from './routes/test-clocks/retrieve-test-clock.ts';

/** Every operation of the API, in the order of the OpenAPI document. */
export const OPERATIONS: Operation[] = [
  createCustomer,
  retrieveCustomer,
  listCustomers,
  draftInvoice,
  createSubscription,
  retrieveSubscription,
  listSubscriptions,
  retrieveInvoice,
  listInvoices,
  markPaid,
  createTestClock,
  retrieveTestClock,
  listTestClocks,
  advanceTestClock,
  deleteTestClock,
];
