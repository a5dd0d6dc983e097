import { afterAll, expect, test } from 'vitest';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { stack } from '../stack/api.ts';

const client = createClickHouse(stack().clickhouse_url);
afterAll(() => client.close());

test('many long parameters are no part of the query, but a form is bounded as by a server', async () => {
  const asked = async (count: number, length: number) => {
    const query_params = Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, 'x'.repeat(length)]));
    const names = Object.keys(query_params).map((name) => `{${name}:String}`);
    const query = `SELECT length(concat('', ${names})) AS n`;
    const answer = await client.query({ query, query_params, use_multipart_params: true, format: 'JSONEachRow' });
    return answer.json();
  };
  expect(await asked(10, 128 * 1024)).toEqual([{ n: String(10 * 128 * 1024) }]);
  await expect(asked(1, 128 * 1024 + 1)).rejects.toThrow('Field value too long: param_p0');
  await expect(asked(1_000, 1)).rejects.toThrow('Too many form fields');
});
