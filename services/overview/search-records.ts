import type { SearchHit } from '../../billing/overview/search-hit.ts';
import { isoFromInstant } from '../../core/instants.ts';
import type { ClickHouseReader } from '../../sql/clickhouse/clickhouse.ts';
import { findEvent, type StoredUsageEvent } from '../../sql/clickhouse/usage/usage-events.ts';
import { listCustomers } from '../../sql/postgres/customers/customers.ts';
import { wholeNumber } from '../../sql/postgres/invoices/invoice-conditions.ts';
import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import { findByName, findInCatalog } from '../../sql/postgres/search.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';

const MOST = 20;

/** What an account has of that id or number, then customers found by words, then the catalog by name (spec/overview#search). */
export async function searchRecords(
  { postgres, clickhouse }: { postgres: Pool; clickhouse: ClickHouseReader },
  accountId: string,
  text: string,
): Promise<SearchHit[]> {
  const id = text.trim();
  const [found, event] = await Promise.all([
    inReading(postgres, accountId, async (tx) => {
      const [exact, customers, catalog] = await Promise.all([
        findByName(tx, accountId, { id, invoiceNumber: wholeNumber(id) }),
        listCustomers(tx, accountId, { search: id }, { limit: MOST, offset: 0 }),
        findInCatalog(tx, accountId, id, MOST),
      ]);
      return { exact, customers: customers.results, catalog };
    }),
    findEvent(clickhouse, accountId, { id, fingerprint: fingerprintToDecimal(fingerprintOf(accountId, id)) }),
  ]);
  const hits: SearchHit[] = [
    ...found.exact,
    ...(event ? [eventHit(event)] : []),
    ...found.customers.map(({ customerId, customerName, email }): SearchHit => {
      return { type: 'customer', id: customerId, title: customerName || customerId, detail: email, customerId };
    }),
    ...found.catalog,
  ];
  const once = new Map(hits.toReversed().map((hit) => [`${hit.type} ${hit.id}`, hit]));
  return hits.filter((hit) => once.get(`${hit.type} ${hit.id}`) === hit).slice(0, MOST);
}

function eventHit({ idempotencyId, eventName, timeCreated, customerId }: StoredUsageEvent): SearchHit {
  const detail = `${customerId}, ${isoFromInstant(timeCreated)}`;
  return { type: 'event', id: idempotencyId, title: eventName, detail, customerId };
}
