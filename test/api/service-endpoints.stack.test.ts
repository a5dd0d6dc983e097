import { expect, test } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { api, stack } from '../stack/api.ts';
import { landed, track } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** What machines ask, without a key (spec/service#metrics). */

const anybody = () => api(null);

test('livez and readyz, of all and of each process; other methods are 405', async () => {
  expect((await anybody().get('/livez')).body).toEqual({ status: 'alive' });
  for (const path of ['/readyz', '/readyz/ingest', '/readyz/api', '/readyz/aggregator', '/readyz/worker']) {
    const answer = await waitUntil(
      () => anybody().get(path),
      ({ status }) => status === 200,
    );
    expect(answer.body).toEqual({ status: 'ready' });
  }
  for (const path of ['/livez', '/readyz', '/readyz/ingest', '/readyz/worker', '/openapi.json', '/docs']) {
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      const answer = await anybody()[method](path, method === 'delete' ? undefined : {});
      expect([path, method, answer.status, answer.headers.get('allow')]).toEqual([path, method, 405, 'GET']);
    }
  }
  expect((await anybody().get('/readyz/nobody')).status).toBe(404);
});

test('the commands of the guide speak to the address that the reader asked', async () => {
  const command = async (headers = {}) =>
    / URL=(\S+) KEY/.exec((await anybody().get('/docs/quickstart', undefined, headers)).text)?.[1];
  expect(await command()).toBe(stack().base_url);
  const claimed = { 'X-Forwarded-Host': 'billing.example', 'X-Forwarded-Proto': 'https' };
  expect(await command(claimed)).toBe(stack().base_url);
});

/** Families, each with a line of it that must be there. */
const FAMILIES = [
  'meterbook_events_accepted_total',
  'meterbook_events_repeated_total',
  'meterbook_events_landed_total',
  'meterbook_repeats_differing_total',
  'meterbook_ingest_lag_seconds',
  'meterbook_ingest_lag_messages',
  'meterbook_ingest_group_events_count',
  'meterbook_landed_batch_events_count',
  'meterbook_seal_wait_seconds_count',
  'meterbook_invoices_total',
  'meterbook_payment_attempts_total',
  'meterbook_webhook_attempts_total',
  'meterbook_webhook_lag_seconds',
  'meterbook_outbox_lag_seconds',
  'meterbook_ledger_imbalance',
  'meterbook_outbox_waiting_events',
  'meterbook_webhook_waiting_deliveries',
  'meterbook_clickhouse_waiting_questions{process="api"}',
  'meterbook_thread_waiting_answers{process="api"}',
  ...['waiting', 'waiting_parties', 'refused_total'].map(
    (what) => `meterbook_share_${what}{process="api",share="thread"}`,
  ),
  'meterbook_ingest_waiting_events{process="ingest"}',
  'meterbook_ingest_waiting_bytes{process="ingest"}',
  ...['api', 'ingest', 'worker'].flatMap((process) =>
    ['waiting', 'connections'].map((what) => `meterbook_postgres_pool_${what}{process="${process}"}`),
  ),
  ...['api', 'ingest', 'worker', 'aggregator'].flatMap((process) =>
    ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'].map(
      (name) => `${name}{process="${process}"}`,
    ),
  ),
  // What the edge takes on its shortest way is counted as everything else.
  'meterbook_http_requests_total{process="ingest",route="/api/track",method="POST",status="200"}',
  'meterbook_http_requests_total{process="ingest",route="api",method="GET",status="200"}',
  'meterbook_http_requests_total{process="api",route="/api/verify-events",method="POST",status="200"}',
  'meterbook_http_request_duration_seconds_bucket{process="ingest",route="/api/track",le="+Inf"}',
  'meterbook_workflow_backlog_tasks{type="workflow"}',
  'meterbook_workflow_backlog_tasks{type="activity"}',
];

test('metrics have every family of every process, each with one help and one type', async () => {
  const { api: sender } = await newAccount();
  await track(sender, { customer_id: 'anybody', time_created: new Date().toISOString() });
  await landed(sender);
  const answer = await waitUntil(
    () => anybody().get('/metrics'),
    // A store that answers late on a loaded machine has no value this time.
    ({ text }) => FAMILIES.every((family) => text.includes(`\n${family}`)),
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const helps = [...answer.text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(helps.length).toBe(new Set(helps).size);
  const figureOf = (name: string) => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(answer.text)?.[1]);
  expect(figureOf('meterbook_events_accepted_total')).toBeGreaterThan(0);
  expect(figureOf('meterbook_events_landed_total')).toBeGreaterThan(0);
  expect(figureOf('meterbook_ledger_imbalance')).toBe(0);
});
