import type { ClickHouseClient } from '@clickhouse/client';

/** Room on ClickHouse's fullest disk, in bytes. */
export type StoreRoom = { free: number; size: number };

/** The room of the disk of ClickHouse's server that is fullest; of the server that answers, where there are several. */
export async function loadStoreRoom(client: ClickHouseClient): Promise<StoreRoom> {
  const answer = await client.query({
    query: `SELECT free_space AS free, total_space AS size FROM system.disks
            ORDER BY free_space / greatest(total_space, 1) LIMIT 1`,
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ free: string; size: string }>();
  return { free: Number(row?.free), size: Number(row?.size) };
}
