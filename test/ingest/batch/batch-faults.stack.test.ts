import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reservePorts } from '../../../local/free-ports.ts';
import { createLog } from '../../../runtime/log.ts';
import { connectStream } from '../../../stream/connection.ts';
import { USAGE_STREAM } from '../../../stream/subjects.ts';
import { startUsageEngines, type UsageEngines } from '../../stack/usage-engines.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { LIVE_KEY, post, startEdge } from '../edge-fixture.ts';
import { storedEvents } from '../stored-events.ts';

const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };

let engines: UsageEngines;
beforeAll(async () => {
  engines = await startUsageEngines();
});
afterAll(async () => {
  engines.signalNats('SIGCONT');
  await engines.stop();
});

function batchOf(tag: string, count: number) {
  const time_created = new Date().toISOString();
  const properties = { filling: 'x'.repeat(600) };
  return Array.from({ length: count }, (_, i) => {
    return { event_name: 'call', customer_id: 'c', idempotency_id: `${tag}-${i}`, time_created, properties };
  });
}
const idsOf = (events: { idempotency_id: string }[]) => new Set(events.map(({ idempotency_id }) => idempotency_id));
const storedIds = async (tag: string) =>
  new Set((await storedEvents(engines.natsUrl)).map(({ idempotencyId: id }) => id).filter((id) => id.startsWith(tag)));

async function startOther(port: number): Promise<ChildProcess> {
  const args = [`--nats=${engines.natsUrl}`, `--port=${port}`];
  const edge = fork(join(import.meta.dirname, '../edge-process.ts'), args);
  await once(edge, 'message');
  await waitUntil(
    () => fetch(`http://127.0.0.1:${port}/readyz/ingest`),
    ({ status }) => status === 200,
  );
  return edge;
}

test('an edge that is killed while it stores a batch has stored a part; sent again all of it is there', async () => {
  const { ports, release } = await reservePorts(`batch-${process.pid}`, 2);
  const [first, second] = await Promise.all(ports.map(startOther));
  const connection = await connectStream(engines.natsUrl, 'test', createLog('test', 'silent'));
  const messages = async () => (await connection.jsm.streams.info(USAGE_STREAM)).state.messages;
  try {
    const events = batchOf('killed', 10_000);
    const before = await messages();
    const answer = post(`http://127.0.0.1:${ports[0]}/api/events/batch`, { events }).then(
      ({ status }) => status,
      () => 'no answer',
    );
    // Without a pause: its other messages follow within milliseconds.
    while ((await messages()) === before);
    first?.kill('SIGKILL');
    expect(await answer).toBe('no answer');
    const part = await storedIds('killed');
    expect([part.size > 0, part.size < 10_000]).toEqual([true, true]);
    const again = await post(`http://127.0.0.1:${ports[1]}/api/events/batch`, { events });
    expect([again.status, again.body]).toEqual([200, { accepted: 10_000, rejected: [] }]);
    expect(await storedIds('killed')).toEqual(idsOf(events));
  } finally {
    await connection.close();
    first?.kill('SIGKILL');
    second?.kill('SIGKILL');
    release();
  }
});

test('a stream that hangs: batches are refused within five seconds, single events beside them in two, and then all goes on', async () => {
  const edge = await startEdge(engines.natsUrl, SETTINGS);
  try {
    await waitUntil(
      () => fetch(`${edge.url}/readyz/ingest`),
      ({ status }) => status === 200,
    );
    const events = batchOf('hung', 3_000);
    const sendSingle = () => post(`${edge.url}/api/track`, { ...events[0], idempotency_id: 'single' }, LIVE_KEY);
    engines.signalNats('SIGSTOP');
    // A process stops some time after its signal.
    await waitUntil(sendSingle, ({ status }) => status === 503);
    const began = performance.now();
    const timed = async (sent: ReturnType<typeof post>) => {
      const { status, headers } = await sent;
      return { status, retryAfter: headers.get('retry-after'), ms: performance.now() - began };
    };
    const batches = [0, 1, 2].map(() => timed(post(`${edge.url}/api/events/batch`, { events })));
    await sleep(100);
    const single = await timed(sendSingle());
    expect(single).toMatchObject({ status: 503, retryAfter: '1' });
    expect(single.ms).toBeLessThan(3_000);
    for (const batch of await Promise.all(batches)) {
      expect(batch).toMatchObject({ status: 503, retryAfter: '1' });
      expect(batch.ms).toBeLessThan(6_000);
    }
    await waitUntil(
      async () => edge.heldBytes(),
      (bytes) => bytes === 0,
    );
    engines.signalNats('SIGCONT');
    await waitUntil(
      () => post(`${edge.url}/api/events/batch`, { events }),
      ({ status }) => status === 200,
    );
    expect(await storedIds('hung-')).toEqual(idsOf(events));
  } finally {
    await edge.stop();
  }
});
