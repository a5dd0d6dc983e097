import { setTimeout as sleep } from 'node:timers/promises';
import type { StackFile } from '../../local/stack-file.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { createPool, type Pool } from '../../sql/postgres/postgres.ts';
import { connectStream } from '../../stream/connection.ts';
import { followProgress } from '../../stream/progress.ts';
import { type Api, api as apiOf } from '../../test/stack/api.ts';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { assertLanded } from '../assert-landed.ts';
import { median, percentile, report, rounded } from '../figures.ts';
import { made } from '../many-subscriptions.ts';
import { cpuOf } from '../process-usage.ts';
import { prepareRequests, sendAll } from '../track-load.ts';

/** All that an event passes, and all that detection uses. */
const PROCESSES = ['ingest', 'nats', 'aggregator', 'clickhouse', 'worker', 'postgres'] as const;
const CONNECTIONS = 256;
const ROUNDS = 5;
/** A row for each value of `tokens` but the last ones, which those by `model` price. */
const ROWS = 500;
const TOLD = 11;
const [LAND_MS, TELL_MS] = [300_000, 30_000];
const GOAL = { 'with over without': 0.97, 'told within ms': 5_000 };

/** Events that land in a second, and what all processes and engines use of the processor for a thousand of them. */
type Round = { perSecond: number; cpuMs: number };

/**
 * The path's events/s, with a price book of 500 rows among whose 1,000 combinations what has no price is looked for, and in turn without; then how
 * soon a combination without a price is told, from the answer to its event.
 */
export async function benchDetection(events: number): Promise<void> {
  const stack = await startOwnStack();
  const file = stack.file();
  const postgres = createPool(file.postgres_url);
  const connection = await connectStream(file.nats_url, 'bench', createLog('bench', 'warn'));
  const progress = await followProgress(connection, systemClock);
  const api = apiOf(file.api_key, file.base_url);
  const port = Number(new URL(file.base_url).port);
  const cpu = () => Object.values(cpuOf(file, PROCESSES)).reduce((sum, ms) => sum + ms, 0);
  async function run(tag: string, count: number): Promise<Round> {
    const requests = prepareRequests(tag, count, port, file.api_key);
    const [started, before] = [performance.now(), cpu()];
    await sendAll(port, requests, { connections: CONNECTIONS });
    const landed = await progress.waitUntilLanded(await progress.lastAcceptedPosition(), LAND_MS);
    if (!landed) throw new Error('Not everything has landed.');
    const seconds = (performance.now() - started) / 1000;
    return { perSecond: count / seconds, cpuMs: ((cpu() - before) / count) * 1000 };
  }
  try {
    const planId = await sell(api);
    const warm = Math.ceil(events / 2);
    await run('warm', warm);
    const rounds = { without: [] as Round[], with: [] as Round[] };
    for (let round = 0; round < ROUNDS; round++) {
      // Each is first in every other round: the second one has more to merge.
      const order = round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
      for (const kind of order) {
        await watch(postgres, planId, kind === 'with');
        rounds[kind].push(await run(`${kind}${round}`, events));
      }
    }
    await watch(postgres, planId, true);
    const times: number[] = [];
    for (let i = 0; i < TOLD; i++) times.push(await toldMs(file, postgres, i));
    await assertLanded(file, warm + 2 * ROUNDS * events + TOLD);
    const of = (kind: keyof typeof rounds, what: keyof Round) => median(rounds[kind].map((round) => round[what]));
    const ratios = rounds.with.map(({ perSecond }, i) => perSecond / (rounds.without[i]?.perSecond ?? Number.NaN));
    const cpuRatios = rounds.with.map(({ cpuMs }, i) => cpuMs / (rounds.without[i]?.cpuMs ?? Number.NaN));
    const row = {
      events,
      'landed/s': `${Math.round(of('without', 'perSecond'))} ${Math.round(of('with', 'perSecond'))}`,
      'with over without': rounded(median(ratios)),
      'CPU ms of 1,000': `${Math.round(of('without', 'cpuMs'))} ${Math.round(of('with', 'cpuMs'))}`,
      'CPU with over without': rounded(median(cpuRatios)),
      'told p50 ms': Math.round(median(times)),
      'told max ms': Math.round(percentile(times, 100)),
    };
    report('detection', [row], {
      connections: CONNECTIONS,
      rounds: ROUNDS,
      ratios: ratios.map(rounded),
      cpuRatios: cpuRatios.map(rounded),
      goal: GOAL,
    });
  } finally {
    progress.close();
    await Promise.all([connection.close(), postgres.end()]);
    await stack.stop();
  }
}

/** Sells a price book by what `loadEvent` sends, to one of its customers. */
async function sell(api: Api): Promise<string> {
  await made(api, '/api/customers/', { customer_id: 'customer-0', email: 'bench@meterbook.example' });
  const { metric_id } = await made(api, '/api/metrics', {
    ...{ metric_name: 'Tokens', aggregation_type: 'sum', event_name: 'api_call', property_name: 'bytes' },
  });
  const models = ['m0', 'm1', 'm2', 'm3', 'm4'].map((model) => ({ when: { model }, overage_price: 0.01 }));
  const tokens = Array.from({ length: ROWS - models.length }, (_, i) => ({
    when: { tokens: String(i) },
    overage_price: 0.02,
  }));
  const components = [{ metric_id, group_by: ['model', 'tokens'], prices: [...models, ...tokens] }];
  const plan = { name: 'AI', recurring_fee: 29, billing_period: 'monthly', components };
  const { plan_id } = await made(api, '/api/plans', plan);
  await made(api, '/api/subscriptions', { customer_id: 'customer-0', plan_id });
  return String(plan_id);
}

/** Looked for is only what is held for want of a price. */
async function watch(postgres: Pool, planId: string, isWatched: boolean): Promise<void> {
  await postgres.query(
    `UPDATE plan_components c SET unmatched = $2 FROM plan_versions v
     WHERE v.account_id = c.account_id AND v.version_id = c.version_id AND v.plan_id = $1`,
    [planId, isWatched ? 'hold' : 'ignore'],
  );
  // Longer than a look takes.
  await sleep(3_000);
}

async function toldMs(file: StackFile, postgres: Pool, i: number): Promise<number> {
  const now = new Date().toISOString();
  const event = { event_name: 'api_call', customer_id: 'customer-0', idempotency_id: `new-${i}`, time_created: now };
  const answer = await apiOf(file.api_key, file.base_url).post('/api/track', {
    ...event,
    properties: { bytes: 1, model: `new-${i}`, tokens: -1 },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const started = performance.now();
  const sql = "SELECT 1 FROM outbox_events WHERE type = 'price.missing' AND data -> 'group' ->> 'model' = $1";
  while (performance.now() - started < TELL_MS) {
    if ((await postgres.query(sql, [`new-${i}`])).rowCount === 1) return performance.now() - started;
    await sleep(20);
  }
  throw new Error(`new-${i} was not told.`);
}
