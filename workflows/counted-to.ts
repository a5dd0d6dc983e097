import type { ClickHouseClient } from '@clickhouse/client';
import { loadLandedPosition, loadRecordsPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import { sequenceOf } from '../stream/positions.ts';

/** The highest sequence of the usage stream that records or ClickHouse have counted up to; 0: none yet. */
export async function loadCountedTo(postgres: Pool, clickhouse: ClickHouseClient): Promise<number> {
  const [counted, landed] = await Promise.all([loadRecordsPosition(postgres), loadLandedPosition(clickhouse)]);
  return Math.max(sequenceOf(counted), sequenceOf(landed.position));
}
