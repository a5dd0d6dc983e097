import type { ClickHouseClient } from '@clickhouse/client';
import { askRows } from '../clickhouse.ts';
import { queryParameters } from '../query-parameters.ts';
import { type CustomerRef, isOfCustomers } from './erase-usage.ts';

/** All events of one name in an account: how many, and a checksum of everything that they are, in whatever order. */
export type UsageTotal = { accountId: string; eventName: string; events: string; checksum: string };

/** Totals of what landed up to this position, without these customers. Reads all of it, one part after another. */
export function listUsageTotals(
  clickhouse: ClickHouseClient,
  upTo: bigint,
  without: readonly CustomerRef[],
): Promise<UsageTotal[]> {
  const { bind, params } = queryParameters();
  const what = 'customer_id, time_created, idempotency_id, numbers, strings, booleans, position';
  const sql = `SELECT account_id AS accountId, event_name AS eventName, toString(count()) AS events,
      toString(sum(sipHash64(${what}))) AS checksum
    FROM usage_events
    WHERE position <= ${bind('up_to', 'UInt64', upTo)} AND NOT ${isOfCustomers(without, bind)}
    GROUP BY accountId, eventName ORDER BY accountId, eventName
    SETTINGS max_threads = 1, max_execution_time = 3600`;
  return askRows<UsageTotal>(clickhouse, { sql, params });
}
