import { listEvents as list } from '../../../services/usage/list-events.ts';
import { EVENT_SORTS } from '../../../sql/clickhouse/usage/usage-events.ts';
import { usageEventFilters, usageEventToWire, usageEventWire } from '../../../wire/usage-events.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery } from '../../pages.ts';

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
  run: async ({ caller, query, listing }, dependencies) => {
    const { customer_id: customerId, event_name: eventName, idempotency_id: idempotencyId, start, end, sort } = query;
    const filter = { customerId, eventName, idempotencyId, start, end, sort };
    const page = await list(dependencies, caller.accountId, filter, listing.window);
    return listing.answer(page, usageEventToWire);
  },
});
