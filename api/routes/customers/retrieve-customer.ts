import { notFound } from '../../../core/domain-error.ts';
import { loadCustomerBilling } from '../../../services/customers/customer-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import { findCustomer } from '../../../sql/postgres/customers/customers.ts';
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
  run: ({ caller, params, read }, { clickhouse }) =>
    withUsage(clickhouse, (usage) =>
      read(async (tx) => {
        const customer = await findCustomer(tx, caller.accountId, params.customer_id);
        if (!customer) throw notFound(`customer ${params.customer_id}`);
        const billing = await loadCustomerBilling({ tx, usage }, caller.accountId, [customer]);
        return customerToWire(customer, billing.of(customer));
      }),
    ),
});
