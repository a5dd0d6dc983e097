import { Registry } from '@prometheus-io/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAudit } from '../../aggregator/audit.ts';
import { createRepeatComparison } from '../../aggregator/compare-repeats.ts';
import { startMaintenance } from '../../aggregator/maintenance.ts';
import { addStreamMetrics } from '../../aggregator/metrics.ts';
import { createBounds } from '../../aggregator/stream-retention.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { loadStreamFill, partFull } from '../../stream/purge.ts';
import { type Answer, post, startEdge } from '../ingest/edge-fixture.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { startUsageFixture, type UsageFixture } from './usage-fixture.ts';

const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 20, streamReplicas: 1 };
const WEEK_MS = 7 * 86_400_000;

let fixture: UsageFixture;
let edge: Awaited<ReturnType<typeof startEdge>>;
/** Events accepted so far; the next one is sent until it is: a 503 may have come too late, for one that was stored. */
let accepted = 0;
let maintenance: Awaited<ReturnType<typeof startMaintenance>> | undefined;

beforeEach(async () => {
  accepted = 0;
  fixture = await startUsageFixture();
  edge = await startEdge(fixture.engines.natsUrl, SETTINGS);
  await waitUntil(
    async () => (await track()).status,
    (status) => status === 200,
  );
});
afterEach(async () => {
  await maintenance?.stop();
  await edge.stop();
  await fixture.stop();
});

/** Sends the next event, of about 50 kB. */
async function track(): Promise<Answer> {
  const text = 'x'.repeat(4_000);
  const answer = await post(`${edge.url}/api/track`, {
    event_name: 'call',
    customer_id: 'acme',
    idempotency_id: `big-${accepted}`,
    time_created: '2026-11-01T00:00:00Z',
    properties: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`p${i}`, text])),
  });
  if (answer.status === 200) accepted += 1;
  return answer;
}

const fill = async () => partFull(await loadStreamFill(fixture.connection));

async function metricsOf(registry: Registry) {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
}

test('a full stream refuses with 503, raises its alarm, and takes events again once they can land', async () => {
  const registry = new Registry();
  addStreamMetrics(registry, fixture.connection);
  expect(await metricsOf(registry)).toMatchObject({ meterbook_usage_stream_alarm: 0 });
  let answer = await track();
  while (answer.status === 200 || (await fill()) < 0.9) answer = await track();
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(accepted).toBeGreaterThan(10);
  expect(await metricsOf(registry)).toMatchObject({
    meterbook_usage_stream_alarm: 1,
    meterbook_usage_stream_bytes_max: 2 ** 20,
    meterbook_usage_stream_bytes: (await loadStreamFill(fixture.connection)).bytes,
  });

  // Nothing has landed: nothing may go, however full it is.
  const parts = { ...fixture, clock: systemClock, log: createLog('test', 'silent'), keepMs: WEEK_MS };
  const audit = createAudit({ ...parts, onAudited: () => {}, onMissing: () => {} });
  const bounds = createBounds({ ...parts, audit });
  for (let round = 0; round < 2; round++) {
    expect([await audit.runOnce(), await bounds.runOnce()]).toEqual([undefined, undefined]);
    expect((await track()).status).toBe(503);
  }

  const repeats = createRepeatComparison({ ...parts, partitions: 1, onDiffering: () => {} });
  maintenance = startMaintenance({ ...parts, repeats, registry });
  fixture.startLanding();
  await waitUntil(fill, (part) => part < 0.7);
  // More than the stream has room for, without a human: it purges what has landed and been audited.
  for (const room = accepted; accepted < 2.5 * room; ) {
    await waitUntil(
      async () => (await track()).status,
      (status) => status === 200,
    );
  }
  await fixture.waitUntilAllLanded();
  expect((await fixture.totals()).events).toBe(accepted);
  const { meterbook_events_missing: missing } = await waitUntil(
    () => metricsOf(registry),
    (metrics) => metrics['meterbook_audited_events_total{kind="landed"}'] === accepted,
  );
  expect(missing).toBe(0);
});
