import { EVENT_SORTS, listUsageEvents } from '../../../sql/clickhouse/usage/usage-events.ts';
import { findCustomer } from '../../../sql/postgres/customers/customers.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../../stream/fingerprint.ts';
import { instantOfMoment } from '../../../wire/moments.ts';
import { usageEventFilters, usageEventToWire, usageEventWire } from '../../../wire/usage-events.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery, toPage, windowOf } from '../../pages.ts';

export const listEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/api/events',
  tag: 'Events',
  summary: 'List usage events, newest time_created first unless sorted',
  description:
    'start is inclusive, end exclusive; a date is the start of that day in the zone of the customer, else UTC.',
  scope: 'read',
  query: pageQuery.extend({ ...usageEventFilters, sort: sortQuery(EVENT_SORTS) }),
  success: 200,
  response: listOf(usageEventWire),
  run: async ({ caller: { accountId }, query, url, read }, { clickhouse }) => {
    const { customer_id: customerId, idempotency_id: id } = query;
    // Events may be of customers that do not exist (yet); they have no zone of their own.
    const customer = customerId === undefined ? undefined : await read((tx) => findCustomer(tx, accountId, customerId));
    const zone = customer?.timeZone ?? 'UTC';
    const filter = {
      customerId,
      eventName: query.event_name,
      idempotency:
        id === undefined ? undefined : { id, fingerprint: fingerprintToDecimal(fingerprintOf(accountId, id)) },
      start: query.start && instantOfMoment(query.start, zone),
      end: query.end && instantOfMoment(query.end, zone),
      sort: query.sort,
    };
    const page = await listUsageEvents(clickhouse, accountId, filter, windowOf(query));
    return toPage(url, query, page, usageEventToWire);
  },
});
