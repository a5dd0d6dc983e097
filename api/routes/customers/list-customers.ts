import { listCustomerRecords } from '../../../services/customers/customer-records.ts';
import { CUSTOMER_SORTS } from '../../../sql/postgres/customers/customers.ts';
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
  run: async ({ caller: { accountId }, query, url, readWithUsage }) => {
    const filter = { search: query.search, sort: query.sort };
    const page = await readWithUsage((stores) => listCustomerRecords(stores, accountId, filter, windowOf(query)));
    return toPage(url, query, page, ({ customer, billing }) => customerToWire(customer, billing));
  },
});
