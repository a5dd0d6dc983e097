import type { ClickHouseClient } from '@clickhouse/client';
import { loadBooksPosition, loadLandedPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import { sequenceOf } from '../stream/positions.ts';

/** The highest sequence of the usage stream that books or usage store have counted up to; 0: none yet. */
export async function loadCountedTo(postgres: Pool, clickhouse: ClickHouseClient): Promise<number> {
  const [books, landed] = await Promise.all([loadBooksPosition(postgres), loadLandedPosition(clickhouse)]);
  return Math.max(sequenceOf(books), sequenceOf(landed.position));
}
