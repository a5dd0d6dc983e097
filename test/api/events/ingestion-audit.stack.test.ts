import { beforeAll, expect, test } from 'vitest';
import { apiWithScopes, newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, stack } from '../../stack/api.ts';
import { landed, track } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';

const EVENT = { customer_id: 'c', time_created: '2026-06-01T00:00:00Z' };
const ALWAYS = '?start=2000-01-01&end=2100-01-01';

let account: TestAccount;
let ids: string[];

beforeAll(async () => {
  account = await newAccount();
  ids = [];
  for (let i = 0; i < 5; i++) ids.push(await track(account.api, EVENT));
  for (const id of ids.slice(0, 2)) await track(account.api, { ...EVENT, idempotency_id: id, event_name: 'other' });
  await landed(account.api);
});

test('everything accepted before the question is in it, by the time of receipt', async () => {
  const answer = await account.api.get(`/api/ingestion/audit${ALWAYS}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    start: '2000-01-01T00:00:00.000Z',
    end: '2100-01-01T00:00:00.000Z',
    ...{ accepted: 7, landed: 5, repeated: 2, missing: 0, dead_lettered: 0 },
  });
  const before = await account.api.get('/api/ingestion/audit?start=2000-01-01&end=2000-01-02');
  expect(before.body).toMatchObject({ accepted: 0, landed: 0, repeated: 0, missing: 0 });
});

test('whole hours', async () => {
  const [received] = itemsOf((await account.api.get(`/api/events?idempotency_id=${ids[0]}`)).body.results);
  const at = String(received?.received_at);
  const later = new Date(Date.parse(at) + 1).toISOString();
  const answer = await account.api.get(`/api/ingestion/audit?start=${at}&end=${later}`);
  expect(answer.body.start).toBe(`${at.slice(0, 13)}:00:00.000Z`);
  expect(Number(answer.body.accepted)).toBeGreaterThan(0);
});

test('one’s own account alone, with a key that may read', async () => {
  const other = await newAccount();
  expect((await other.api.get(`/api/ingestion/audit${ALWAYS}`)).body).toMatchObject({ accepted: 0, landed: 0 });
  const writer = await apiWithScopes(account, ['write', 'events:write', 'admin']);
  expect((await writer.get(`/api/ingestion/audit${ALWAYS}`)).status).toBe(403);
});

test.each([
  ['', ['start', 'end']],
  ['?start=x&end=2026-01-01', ['start']],
  ['?start=2026-01-02&end=2026-01-02', ['end']],
  ['?start=2026-01-03&end=2026-01-02T00:00:00Z', ['end']],
])('%s is 422', async (query, fields) => {
  const answer = await account.api.get(`/api/ingestion/audit${query}`);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body)).toEqual(fields);
});

test('the metrics show the stream, the audit, and that nothing is missing', async () => {
  const metrics = async () => (await fetch(new URL('/metrics', stack().base_url))).text();
  const wanted = [
    /meterbook_audited_events_total\{kind="landed"\} [1-9]/,
    /^meterbook_events_missing 0$/m,
    /^meterbook_usage_stream_alarm 0$/m,
    /^meterbook_usage_stream_bytes [1-9]\d*$/m,
    /^meterbook_usage_stream_bytes_max [1-9]\d*$/m,
    /^meterbook_usage_store_free_bytes [1-9]\d*$/m,
    /^meterbook_usage_store_disk_bytes [1-9]\d*$/m,
  ];
  // A store that answers late on a loaded machine has no value this time.
  await waitUntil(metrics, (shown) => wanted.every((line) => line.test(shown)));
});
