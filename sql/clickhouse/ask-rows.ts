import type { ClickHouseSettings, QueryParams } from '@clickhouse/client';
import { assertNoTransaction } from '../postgres/postgres.ts';
import type { ParameterizedQuery } from './query-parameters.ts';

/** ClickHouse for who only asks: its client, or what asks it in turn with others. */
export type ClickHouseReader = {
  query(params: QueryParams & { format: 'JSONEachRow' }): Promise<{ json<Row>(): Promise<Row[]> }>;
};

/** ClickHouse ends a read whose client is gone, by the caller's leave or by its own time limit, and only one that may not write. */
const ENDS_WITH_ITS_CLIENT: ClickHouseSettings = { readonly: '2', cancel_http_readonly_queries_on_client_close: 1 };

/** The rows that ClickHouse answers. `settings`: among them the limits of the question. Throws where it fails or meets one. */
export async function askRows<Row>(
  clickhouse: ClickHouseReader,
  { sql, params }: ParameterizedQuery,
  settings: ClickHouseSettings = {},
): Promise<Row[]> {
  assertNoTransaction('ClickHouse');
  const answer = await clickhouse.query({
    query: sql,
    query_params: params,
    // Ids of hundreds of customers, a thousand fingerprints, long filters do not fit into a URL.
    use_multipart_params_auto: true,
    clickhouse_settings: { ...ENDS_WITH_ITS_CLIENT, ...settings },
    format: 'JSONEachRow',
  });
  return answer.json<Row>();
}
