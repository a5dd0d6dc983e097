import { askRows, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';

/** Whose events of which name have landed in a stretch of the stream. */
export type TouchedUsage = { accountId: string; customerId: string; eventName: string };

/** More are not told apart: some ten megabytes. */
const MAX_TOUCHED = 100_000;

/** What events at positions above `above` and up to `upTo` touched, each once; null for too many. `position` has an index. */
export async function listTouchedUsage(
  clickhouse: ClickHouseReader,
  { above, upTo }: { above: bigint; upTo: bigint },
): Promise<TouchedUsage[] | null> {
  const sql = `SELECT DISTINCT account_id, customer_id, event_name FROM usage_events
      WHERE position > {above:UInt64} AND position <= {up_to:UInt64} LIMIT ${MAX_TOUCHED + 1}`;
  const rows = await askRows<{ account_id: string; customer_id: string; event_name: string }>(
    clickhouse,
    { sql, params: { above, up_to: upTo } },
    OF_A_CALLER.settings,
  );
  if (rows.length > MAX_TOUCHED) return null;
  return rows.map((row) => ({ accountId: row.account_id, customerId: row.customer_id, eventName: row.event_name }));
}
