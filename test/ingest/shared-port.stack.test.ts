import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startUsageFixture, type UsageFixture } from '../aggregator/usage-fixture.ts';
import { post } from './edge-fixture.ts';

const PARTITIONS = 2;

let fixture: UsageFixture;
let edges: ChildProcess[];
let url: string;

beforeAll(async () => {
  fixture = await startUsageFixture(PARTITIONS);
  url = `http://127.0.0.1:${fixture.engines.port}`;
  edges = await Promise.all([startEdgeProcess(), startEdgeProcess()]);
  await Promise.all(Array.from({ length: 20 }, untilReady));
});
afterEach(() => fixture.endLanding());
afterAll(async () => {
  for (const edge of edges) edge.kill('SIGKILL');
  await fixture.stop();
});

async function startEdgeProcess(): Promise<ChildProcess> {
  const args = [`--nats=${fixture.engines.natsUrl}`, `--port=${fixture.engines.port}`, `--partitions=${PARTITIONS}`];
  const child = fork(join(import.meta.dirname, 'edge-process.ts'), args);
  await once(child, 'message');
  return child;
}

async function untilReady() {
  while ((await fetch(`${url}/readyz`, { headers: { Connection: 'close' } })).status !== 200) await sleep(50);
}

async function acceptedBy(edge: ChildProcess): Promise<number> {
  edge.send('accepted?');
  const [events] = await once(edge, 'message');
  return events as number;
}

const time = new Date().toISOString();
const event = (id: string) => ({ event_name: 'call', customer_id: 'c', idempotency_id: id, time_created: time });
const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

/** A connection of its own for each event: the kernel chooses the process. Repeats until accepted, as a sender would. */
async function send(id: string): Promise<void> {
  for (;;) {
    const answer = await post(`${url}/api/track`, event(id), undefined, { Connection: 'close' }).catch(() => undefined);
    if (answer?.status === 200) return;
    if (answer) expect(answer.status).toBe(503);
    await sleep(20);
  }
}

test('two edges on one port: both accept, and each event lands once', async () => {
  const sent = [...ids('shared', 150), ...ids('shared', 150)];
  const before = await Promise.all(edges.map(acceptedBy));
  await Promise.all(sent.map(send));
  const after = await Promise.all(edges.map(acceptedBy));
  const accepted = after.map((events, i) => events - (before[i] ?? 0));
  expect(accepted.every((events) => events > 0)).toBe(true);
  expect(accepted.reduce((sum, events) => sum + events)).toBe(sent.length);

  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  expect(await fixture.totals()).toMatchObject({ events: 150, distinct: 150, ids: 150 });
});

test('one of two edges is killed: senders that repeat lose nothing, and nothing counts twice', async () => {
  fixture.startLanding();
  const sending = Promise.all(ids('killed', 300).map(send));
  await sleep(30);
  edges[0]?.kill('SIGKILL');
  await sending;
  await fixture.waitUntilAllLanded();
  expect(await fixture.totals()).toMatchObject({ events: 450, distinct: 450, ids: 450 });
});
