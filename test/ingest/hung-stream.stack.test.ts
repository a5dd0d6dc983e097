import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUsageEngines, type UsageEngines } from '../stack/usage-engines.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { LIVE_KEY, post, postChunked, startEdge } from './edge-fixture.ts';
import { storedEvents } from './stored-events.ts';

const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 26, streamReplicas: 1 };
const HANGS_MS = 6_000;

let engines: UsageEngines;
let edge: Awaited<ReturnType<typeof startEdge>>;

beforeAll(async () => {
  engines = await startUsageEngines();
  edge = await startEdge(engines.natsUrl, SETTINGS);
  await waitUntil(
    () => fetch(`${edge.url}/readyz/ingest`),
    ({ status }) => status === 200,
  );
});
afterAll(async () => {
  engines.signalNats('SIGCONT');
  await edge.stop();
  await engines.stop();
});

const bodyOf = (id: string) => ({
  event_name: 'call',
  customer_id: 'c',
  idempotency_id: id,
  time_created: new Date().toISOString(),
  properties: { filling: 'x'.repeat(1_000) },
});

/** An event through the fast path, or through Node's server, which takes what comes in chunks. */
async function send(id: string, key = LIVE_KEY): Promise<{ id: string; status: number; tookMs: number }> {
  const begun = performance.now();
  const url = `${edge.url}/api/track`;
  const isPlain = id.endsWith('plain');
  const status = isPlain
    ? (await post(url, bodyOf(id), key)).status
    : await postChunked(url, Buffer.from(JSON.stringify(bodyOf(id))), key);
  return { id, status, tookMs: performance.now() - begun };
}

const storedIds = async () => (await storedEvents(engines.natsUrl)).map(({ idempotencyId }) => idempotencyId);

test('a stream that hangs: each event is refused within two seconds, nothing piles up, and then it goes on', async () => {
  expect((await send('before plain')).status).toBe(200);
  expect((await send('before chunked')).status).toBe(200);
  engines.signalNats('SIGSTOP');
  // A process stops some time after its signal: what comes before that is stored.
  await waitUntil(
    () => send('meanwhile plain'),
    ({ status }) => status === 503,
  );
  const sent: ReturnType<typeof send>[] = [];
  const unknown: ReturnType<typeof send>[] = [];
  let mostHeld = 0;
  for (const end = performance.now() + HANGS_MS; performance.now() < end; await sleep(50)) {
    for (const way of ['plain', 'chunked']) {
      for (let i = 0; i < 5; i++) sent.push(send(`${sent.length} ${way}`));
      unknown.push(send(way, 'nobody'));
    }
    mostHeld = Math.max(mostHeld, edge.heldBytes());
  }
  const refused = await Promise.all(sent);
  expect(refused.filter(({ status }) => status !== 503)).toEqual([]);
  // What waits for nothing of the stream's takes this machine so long.
  const slowest = Math.max(...(await Promise.all(unknown)).map(({ tookMs }) => tookMs));
  expect(refused.filter(({ tookMs }) => tookMs > 2_000 + 2 * slowest)).toEqual([]);
  // Two seconds of it at most, of six.
  expect(mostHeld).toBeLessThan((sent.length * 1_500) / 2);
  await waitUntil(
    async () => edge.heldBytes(),
    (bytes) => bytes === 0,
  );

  engines.signalNats('SIGCONT');
  await waitUntil(
    () => send('after plain'),
    ({ status }) => status === 200,
  );
  const after = await Promise.all(
    Array.from({ length: 20 }, (_, i) => send(`after ${i} ${i % 2 ? 'plain' : 'chunked'}`)),
  );
  expect(after.filter(({ status }) => status !== 200)).toEqual([]);
  const stored = new Set(await storedIds());
  expect(after.filter(({ id }) => !stored.has(id))).toEqual([]);
  // Of those that were refused only what was under way to the stream is there: no more than came in one turn.
  expect(refused.filter(({ id }) => stored.has(id)).length).toBeLessThanOrEqual(10);
});
