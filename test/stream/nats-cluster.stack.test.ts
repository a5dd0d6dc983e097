import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { createLog } from '../../runtime/log.ts';
import { connectStream, type StreamConnection } from '../../stream/connection.ts';
import { DEAD_LETTERS_STREAM, LANDINGS_STREAM, USAGE_STREAM } from '../../stream/subjects.ts';
import { startUsageFixture, type UsageFixture } from '../aggregator/usage-fixture.ts';
import { howMany } from '../how-many.ts';
import { post, startEdge } from '../ingest/edge-fixture.ts';
import { durabilityTold } from '../stack/durability.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { type NatsCluster, startNatsCluster } from './nats-cluster.ts';

const SETTINGS = { usagePartitions: 2, usageStreamMaxBytes: 2 ** 26, streamReplicas: 3 };
/** Events sent while a leader is killed, and behind that. */
const [MEANWHILE, LATE] = [howMany(150, 300), howMany(50, 200)];
const RETRY_MS = 400;
const PATIENCE_MS = 120_000;
const NOBODY = 'nats://127.0.0.1:9';

let cluster: NatsCluster;
let fixture: UsageFixture;
let edge: Awaited<ReturnType<typeof startEdge>>;
let connection: StreamConnection;

beforeAll(async () => {
  [cluster, fixture] = await Promise.all([startNatsCluster(), startUsageFixture()]);
  // The first server of the list does not exist: the others of it are tried.
  edge = await startEdge(`${NOBODY}, ${cluster.url}`, SETTINGS);
  while ((await fetch(`${edge.url}/readyz`)).status !== 200) await sleep(100);
  connection = await connectStream(cluster.url, 'test', createLog('test', 'silent'));
});
afterEach(() => fixture.endLanding());
afterAll(async () => {
  await connection?.close();
  await edge?.stop();
  await fixture?.stop();
  await cluster?.stop();
});

const time = new Date().toISOString();
const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

/** As a sender would: repeats until the answer is 200. Electing a leader takes seconds, in which all of them ask. */
async function send(id: string) {
  const event = { event_name: 'call', customer_id: 'c', idempotency_id: id, time_created: time };
  while ((await post(`${edge.url}/api/track`, event)).status !== 200) await sleep(RETRY_MS);
}

async function leaderOf(stream: string): Promise<string> {
  for (;;) {
    const info = await connection.jsm.streams.info(stream).catch(() => undefined);
    if (info?.cluster?.leader) return info.cluster.leader;
    await sleep(100);
  }
}

async function untilLanded(events: number) {
  await waitUntil(
    () => fixture.totals(),
    (totals) => totals.events >= events,
    PATIENCE_MS,
  );
  expect(await fixture.totals()).toMatchObject({ events, distinct: events, ids: events });
}

/** All three servers have all of a stream: with one behind, the death of another would stop it. */
async function untilWhole(stream: string) {
  const replicas = async () => (await connection.jsm.streams.info(stream)).cluster?.replicas ?? [];
  const isWhole = (all: { current: boolean; offline?: boolean }[]) =>
    all.length === 2 && all.every(({ current, offline }) => current && !offline);
  await waitUntil(() => replicas().catch(() => []), isWhole, PATIENCE_MS);
}

test('streams have three replicas, and every server is asked whether it syncs before each ack', async () => {
  for (const stream of [USAGE_STREAM, LANDINGS_STREAM, DEAD_LETTERS_STREAM]) {
    expect((await connection.jsm.streams.info(stream)).config.num_replicas).toBe(3);
  }
  expect(await durabilityTold(connection, SETTINGS)).toEqual({ problems: [], unverified: [] });
});

test('the leaders killed one after another under load: what was answered 200 lands, once', async () => {
  const landing = fixture.startLanding({ nats: `${NOBODY},${cluster.url}` });
  const tag = newId('evt');
  await Promise.all(ids(`${tag}-early`, 50).map(send));
  let sent = (await fixture.totals()).events + 50;
  await untilLanded(sent);
  for (const stream of [USAGE_STREAM, LANDINGS_STREAM]) {
    const sending = Promise.all(ids(`${tag}-${stream}`, MEANWHILE).map(send));
    await sleep(20);
    const leader = await leaderOf(stream);
    await cluster.kill(leader);
    await Promise.all([sending, Promise.all(ids(`${tag}-${stream}-late`, LATE).map(send))]);
    sent += MEANWHILE + LATE;
    await untilLanded(sent);
    cluster.start(leader);
    await Promise.all([USAGE_STREAM, LANDINGS_STREAM].map(untilWhole));
  }
  // Repeats of all of them count nothing.
  await Promise.all(ids(`${tag}-${USAGE_STREAM}`, MEANWHILE).map(send));
  // Time for a repeat to land wrongly.
  await sleep(500);
  await untilLanded(sent);
  expect(landing.child.exitCode).toBeNull();
});
