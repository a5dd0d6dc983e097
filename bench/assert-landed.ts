import type { StackFile } from '../local/stack-file.ts';
import { createClickHouse } from '../sql/clickhouse.ts';

/** Each of the `sent` events once, and no other. @throws where one was lost or made up. */
export async function assertLanded({ clickhouse_url, account_id }: StackFile, sent: number): Promise<void> {
  const clickhouse = createClickHouse(clickhouse_url);
  const answer = await clickhouse.query({
    query: `SELECT count() AS events, uniqExact(fingerprint) AS ids FROM usage_events
            WHERE account_id = {account_id:String}`,
    query_params: { account_id },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ events: string; ids: string }>();
  await clickhouse.close();
  if (Number(row?.events) !== sent || Number(row?.ids) !== sent) {
    throw new Error(`${sent} accepted; ${row?.events} landed, ${row?.ids} ids.`);
  }
}
