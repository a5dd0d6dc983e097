import type { StackFile } from '../local/stack-file.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { connectStream } from '../stream/connection.ts';
import { followProgress } from '../stream/progress.ts';

const LAND_MS = 60_000;

/** Each of the `sent` events once, and no other, once all has landed. @throws where one was lost or made up. */
export async function assertLanded(stack: StackFile, sent: number, landMs = LAND_MS): Promise<void> {
  await waitUntilLanded(stack, landMs);
  const clickhouse = createClickHouse(stack.clickhouse_url);
  const answer = await clickhouse.query({
    query: `SELECT count() AS events, uniqExact(fingerprint) AS ids FROM usage_events
            WHERE account_id = {account_id:String}`,
    query_params: { account_id: stack.account_id },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ events: string; ids: string }>();
  await clickhouse.close();
  if (Number(row?.events) !== sent || Number(row?.ids) !== sent) {
    throw new Error(`${sent} accepted; ${row?.events} landed, ${row?.ids} ids.`);
  }
}

async function waitUntilLanded({ nats_url }: StackFile, landMs: number) {
  const connection = await connectStream(nats_url, 'bench', createLog('bench', 'warn'));
  const progress = await followProgress(connection, systemClock);
  const landed = await progress.waitUntilLanded(await progress.lastAcceptedPosition(), landMs);
  progress.close();
  await connection.close();
  if (!landed) throw new Error(`Not everything has landed within ${landMs / 1000} s.`);
}
