import { type EVENT_SORTS, listUsageEvents } from '../../sql/clickhouse/usage/usage-events.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import type { ListSort, PageWindow } from '../../sql/postgres/page-window.ts';
import { inReading } from '../../sql/postgres/postgres.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import { instantOfMoment, type Moment } from '../../wire/moments.ts';
import type { UsageReader } from '../dependencies.ts';

/** Dates among the moments are of the customer's zone, else of UTC. */
export type EventFilter = {
  customerId: string | undefined;
  eventName: string | undefined;
  idempotencyId: string | undefined;
  start: Moment | undefined;
  end: Moment | undefined;
  sort: ListSort<keyof typeof EVENT_SORTS> | undefined;
};

/** One page of an account's usage events. */
export async function listEvents(
  { postgres, clickhouse }: UsageReader,
  accountId: string,
  { customerId, idempotencyId: id, start, end, ...filter }: EventFilter,
  window: PageWindow,
) {
  // Events may be of customers that do not exist (yet); they have no zone of their own.
  const customer =
    customerId === undefined
      ? undefined
      : await inReading(postgres, accountId, (tx) => findCustomer(tx, accountId, customerId));
  const zone = customer?.timeZone ?? 'UTC';
  const idempotency =
    id === undefined ? undefined : { id, fingerprint: fingerprintToDecimal(fingerprintOf(accountId, id)) };
  const interval = { start: start && instantOfMoment(start, zone), end: end && instantOfMoment(end, zone) };
  return listUsageEvents(clickhouse, accountId, { ...filter, ...interval, customerId, idempotency }, window);
}
