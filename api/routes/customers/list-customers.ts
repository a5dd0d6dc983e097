import { loadCustomerBilling } from '../../../services/customers/customer-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import { CUSTOMER_SORTS, listCustomers as listCustomerPage } from '../../../sql/postgres/customers/customers.ts';
import { customerToWire, customerWire, searchInput } from '../../../wire/customers.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery, toPage, windowOf } from '../../pages.ts';

export const listCustomers = operation({
  id: 'listCustomers',
  method: 'get',
  path: '/api/customers/',
  tag: 'Customers',
  summary: 'List customers, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({ search: searchInput.optional(), sort: sortQuery(CUSTOMER_SORTS) }),
  success: 200,
  response: listOf(customerWire),
  run: ({ caller, query, url, read }, { clickhouse }) =>
    withUsage(clickhouse, (usage) =>
      read(async (tx) => {
        const filter = { search: query.search, sort: query.sort };
        const page = await listCustomerPage(tx, caller.accountId, filter, windowOf(query));
        const billing = await loadCustomerBilling({ tx, usage }, caller.accountId, page.results);
        return toPage(url, query, page, (customer) => customerToWire(customer, billing.of(customer)));
      }),
    ),
});
