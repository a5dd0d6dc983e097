import { listCustomerRecords } from '../../../services/customers/customer-records.ts';
import { CUSTOMER_SORTS } from '../../../sql/postgres/customers/customers.ts';
import { customerFilters, customerToWire, customerWire } from '../../../wire/customers.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery } from '../../pages.ts';

export const listCustomers = operation({
  id: 'listCustomers',
  method: 'get',
  path: '/api/customers/',
  tag: 'Customers',
  summary: 'List customers, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({ ...customerFilters, sort: sortQuery(CUSTOMER_SORTS) }),
  success: 200,
  response: listOf(customerWire),
  run: async ({ caller: { accountId }, query, listing, readWithUsage }) => {
    const filter = {
      search: query.search,
      testClockId: query.test_clock_id,
      billedTo: query.billed_to,
      sort: query.sort,
    };
    const page = await readWithUsage((stores) => listCustomerRecords(stores, accountId, filter, listing.window));
    return listing.answer(page, ({ customer, billing }) => customerToWire(customer, billing));
  },
});
