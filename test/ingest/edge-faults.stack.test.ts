import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reservePorts } from '../../local/free-ports.ts';
import { USAGE_STREAM } from '../../stream/subjects.ts';
import { type OwnNats, startNats } from '../stack/usage-engines.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patientStream } from '../stream/patient-stream.ts';
import { LIVE_KEY, post, postChunked, startEdge } from './edge-fixture.ts';
import { storedEvents } from './stored-events.ts';

const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
const HANGS_MS = 6_000;

type Edge = Awaited<ReturnType<typeof startEdge>>;
let nats: OwnNats;
/** One for single events, and one for batches, which hold far more. */
let edge: Edge;
let batchEdge: Edge;

beforeAll(async () => {
  nats = await startNats();
  [edge, batchEdge] = await Promise.all([startEdge(nats.natsUrl, SETTINGS), startEdge(nats.natsUrl, SETTINGS)]);
  for (const { url } of [edge, batchEdge]) await untilReady(url);
});
afterAll(async () => {
  nats.signalNats('SIGCONT');
  await Promise.all([edge.stop(), batchEdge.stop()]);
  await nats.stop();
});

const untilReady = (url: string) =>
  waitUntil(
    () => fetch(`${url}/readyz/ingest`),
    ({ status }) => status === 200,
  );

const bodyOf = (id: string) => ({
  event_name: 'call',
  customer_id: 'c',
  idempotency_id: id,
  time_created: new Date().toISOString(),
  properties: { filling: 'x'.repeat(1_000) },
});

/** A batch of ten thousand of these has room in a body. */
const SMALL = { filling: 'x'.repeat(600) };

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

const storedIds = async () => (await storedEvents(nats.natsUrl)).map(({ idempotencyId }) => idempotencyId);

/** The ids of these events that are stored. */
async function storedOf(events: { idempotency_id: string }[]): Promise<Set<string>> {
  const sent = new Set(events.map((one) => one.idempotency_id));
  return new Set((await storedIds()).filter((id) => sent.has(id)));
}

test('an edge that is killed while it stores a batch has stored a part; sent again all of it is there', async () => {
  const { ports, release } = await reservePorts(`batch-${process.pid}`, 1);
  const url = `http://127.0.0.1:${ports[0]}`;
  const connection = await patientStream(nats.natsUrl);
  const messages = async () => (await connection.jsm.streams.info(USAGE_STREAM)).state.messages;
  let other: ChildProcess | undefined;
  /** What an edge that is killed behind its first message of a batch has answered, and how much of that it has stored. */
  const killWhileStoring = async (events: { idempotency_id: string }[]) => {
    other = fork(join(import.meta.dirname, 'edge-process.ts'), [`--nats=${nats.natsUrl}`, `--port=${ports[0]}`]);
    await once(other, 'message');
    await untilReady(url);
    const before = await messages();
    let isAnswered = false;
    const answer = post(`${url}/api/events/batch`, { events })
      .then(
        ({ status }) => status,
        () => 'no answer',
      )
      .finally(() => {
        isAnswered = true;
      });
    // Without a pause: its other messages follow within milliseconds. A busy edge may refuse the batch.
    while (!isAnswered && (await messages()) === before);
    const ended = once(other, 'exit');
    other.kill('SIGKILL');
    await ended;
    return { answer: await answer, stored: (await storedOf(events)).size };
  };
  try {
    let events: ReturnType<typeof bodyOf>[] = [];
    // On a busy machine a kill may come when all is stored: that batch says nothing, and the next one is tried.
    const { answer, stored } = await waitUntil(
      () => {
        const batch = randomUUID();
        events = Array.from({ length: 10_000 }, (_, i) => ({ ...bodyOf(`killed ${i} ${batch}`), properties: SMALL }));
        return killWhileStoring(events);
      },
      ({ stored: some }) => some > 0 && some < 10_000,
    );
    expect([answer, stored > 0]).toEqual(['no answer', true]);
    const again = await waitUntil(
      () => post(`${batchEdge.url}/api/events/batch`, { events }),
      ({ status }) => status !== 503,
    );
    expect([again.status, again.body]).toEqual([200, { accepted: 10_000, rejected: [] }]);
    expect((await storedOf(events)).size).toBe(10_000);
  } finally {
    await connection.close();
    other?.kill('SIGKILL');
    release();
  }
});

const untilNothingHeld = ({ heldBytes }: Edge) =>
  waitUntil(
    async () => heldBytes(),
    (bytes) => bytes === 0,
  );

/** Sends single events for as long as the stream hangs; all of them, and how long this machine takes for what waits for nothing. */
async function sendSingles() {
  const sent: ReturnType<typeof send>[] = [];
  const unknown: ReturnType<typeof send>[] = [];
  const sentAt: number[] = [];
  const looks: { at: number; held: number }[] = [];
  for (const end = performance.now() + HANGS_MS; performance.now() < end; await sleep(100)) {
    for (const way of ['plain', 'chunked']) {
      for (let i = 0; i < 5; i++) {
        sentAt.push(performance.now());
        sent.push(send(`${sent.length} ${way}`));
      }
      unknown.push(send(way, 'nobody'));
    }
    looks.push({ at: performance.now(), held: edge.heldBytes() });
  }
  const refused = await Promise.all(sent);
  expect(refused.filter(({ status }) => status !== 503)).toEqual([]);
  const slowest = Math.max(...(await Promise.all(unknown)).map(({ tookMs }) => tookMs));
  const longest = 2_000 + 2 * slowest;
  expect(refused.filter(({ tookMs }) => tookMs > longest)).toEqual([]);
  // What came in the last two seconds at most.
  const cameWithin = (at: number) => sentAt.filter((came) => came > at - longest && came <= at).length;
  expect(looks.filter(({ at, held }) => held > cameWithin(at) * 1_500)).toEqual([]);
  await untilNothingHeld(edge);
  return { refused, slowest };
}

/** Sends batches and an event beside them; how long they took. */
async function sendBatches(events: { idempotency_id: string }[]) {
  const timed = async (sent: ReturnType<typeof post>) => {
    const began = performance.now();
    const { status, headers } = await sent;
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    return performance.now() - began;
  };
  const batches = [0, 1, 2].map(() => timed(post(`${batchEdge.url}/api/events/batch`, { events })));
  await sleep(100);
  const single = await timed(post(`${batchEdge.url}/api/track`, { ...events[0], idempotency_id: 'single' }, LIVE_KEY));
  const slowestBatch = Math.max(...(await Promise.all(batches)));
  await untilNothingHeld(batchEdge);
  return { single, slowestBatch };
}

test('a stream that hangs: an event is refused within two seconds, a batch within five, nothing piles up, and then it goes on', async () => {
  expect((await send('before plain')).status).toBe(200);
  expect((await send('before chunked')).status).toBe(200);
  const events = Array.from({ length: 1_500 }, (_, i) => ({ ...bodyOf(`batch ${i}`), properties: SMALL }));
  nats.signalNats('SIGSTOP');
  // A process stops some time after its signal: what comes before that is stored.
  await waitUntil(
    () => send('meanwhile plain'),
    ({ status }) => status === 503,
  );
  const scenes = [sendSingles(), sendBatches(events)] as const;
  // Also where one fails: the other is not to go on beside the next test.
  await Promise.allSettled(scenes);
  nats.signalNats('SIGCONT');
  const [{ refused, slowest }, { single, slowestBatch }] = await Promise.all(scenes);
  expect(single).toBeLessThan(2_500 + 2 * slowest);
  expect(slowestBatch).toBeLessThan(5_500 + 2 * slowest);

  await waitUntil(
    () => send('after plain'),
    ({ status }) => status === 200,
  );
  const after = await Promise.all(
    Array.from({ length: 20 }, (_, i) => send(`after ${i} ${i % 2 ? 'plain' : 'chunked'}`)),
  );
  expect(after.filter(({ status }) => status !== 200)).toEqual([]);
  await waitUntil(
    () => post(`${batchEdge.url}/api/events/batch`, { events }),
    ({ status }) => status === 200,
  );
  const stored = new Set(await storedIds());
  expect(
    [...after.map(({ id }) => id), ...events.map((one) => one.idempotency_id)].filter((id) => !stored.has(id)),
  ).toEqual([]);
  // Of those that were refused only what was under way to the stream is there: no more than came in one turn.
  expect(refused.filter(({ id }) => stored.has(id)).length).toBeLessThanOrEqual(10);
});
