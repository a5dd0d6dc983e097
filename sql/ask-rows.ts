import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { ParameterizedQuery } from './query-parameters.ts';

/** The rows that ClickHouse answers. `settings`: among them the limits of the question. Throws where it fails or meets one. */
export async function askRows<Row>(
  clickhouse: ClickHouseClient,
  { sql, params }: ParameterizedQuery,
  settings: ClickHouseSettings = {},
): Promise<Row[]> {
  const answer = await clickhouse.query({
    query: sql,
    query_params: params,
    // Ids of hundreds of customers, a thousand fingerprints, long filters do not fit into a URL.
    use_multipart_params_auto: true,
    clickhouse_settings: settings,
    format: 'JSONEachRow',
  });
  return answer.json<Row>();
}
