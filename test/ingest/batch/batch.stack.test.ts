import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUsageEngines, type UsageEngines } from '../../stack/usage-engines.ts';
import { LIVE_KEY, post, READ_KEY, startEdge } from '../edge-fixture.ts';
import { storedEvents } from '../stored-events.ts';

const SETTINGS = { usagePartitions: 4, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

let engines: UsageEngines;
let edge: Awaited<ReturnType<typeof startEdge>>;

beforeAll(async () => {
  engines = await startUsageEngines();
  edge = await startEdge(engines.natsUrl, SETTINGS);
  while ((await fetch(`${edge.url}/readyz`)).status !== 200) await sleep(50);
});
afterAll(async () => {
  await edge.stop();
  await engines.stop();
});

let count = 0;
function event(more: Record<string, unknown> = {}) {
  count += 1;
  const time = new Date().toISOString();
  return { event_name: 'call', customer_id: 'c', idempotency_id: `evt-${count}`, time_created: time, ...more };
}
const send = (body: unknown, headers?: Record<string, string>, key?: string) =>
  post(`${edge.url}/api/events/batch`, body, key, headers);
const lines = (...events: unknown[]) =>
  events.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');

async function storedIds(): Promise<Set<string>> {
  const events = await storedEvents(engines.natsUrl, SETTINGS.usagePartitions);
  return new Set(events.map(({ idempotencyId }) => idempotencyId));
}

describe('a batch', () => {
  test('of JSON is stored when the answer comes', async () => {
    const events = Array.from({ length: 600 }, () => event({ properties: { n: 1.5 } }));
    const answer = await send({ events });
    expect([answer.status, answer.body]).toEqual([200, { accepted: 600, rejected: [] }]);
    const ids = await storedIds();
    expect(events.filter(({ idempotency_id }) => !ids.has(idempotency_id))).toEqual([]);
  });

  test('of lines tells the bad ones by their place, blank lines not counted', async () => {
    const [first, last] = [event(), event()];
    const body = lines(
      first,
      '',
      '{"event_name":',
      '\r',
      '[1]',
      event({ customer_id: 5, x: 1 }),
      `${JSON.stringify(last)}\r`,
      '',
    );
    const answer = await send(body, NDJSON);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        accepted: 2,
        rejected: [
          { index: 1, idempotency_id: null, errors: { event: ['Must be valid JSON.'] } },
          { index: 2, idempotency_id: null, errors: { event: ['Must be a JSON object.'] } },
          {
            index: 3,
            idempotency_id: expect.stringMatching(/^evt-/),
            errors: { x: ['Unknown field.'], customer_id: ['Must be a string.'] },
          },
        ],
      },
    ]);
    const ids = await storedIds();
    expect([ids.has(first.idempotency_id), ids.has(last.idempotency_id)]).toEqual([true, true]);
  });

  test.each([
    ['gzip', gzipSync],
    ['X-Gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('may be compressed by %s', async (encoding, compress) => {
    const body = compress(lines(event(), event()));
    expect((await send(body, { ...NDJSON, 'Content-Encoding': encoding })).body).toEqual({ accepted: 2, rejected: [] });
  });

  test.each([
    [{}, { events: ['Required.'] }],
    [
      { events: 1, x: 2 },
      { events: ['Must be an array.'], x: ['Unknown field.'] },
    ],
    [{ events: [] }, { events: ['Must have 1 to 10,000 events.'] }],
  ])('%j is 422', async (body, errors) => {
    const answer = await send(body);
    expect([answer.status, answer.body]).toEqual([422, errors]);
  });

  test('of another key, scope, method or type is refused', async () => {
    expect((await send({ events: [event()] }, {}, 'nobody')).status).toBe(401);
    expect((await send({ events: [event()] }, {}, READ_KEY)).status).toBe(403);
    expect((await send({ events: [event()] }, { 'Content-Type': 'text/plain' })).status).toBe(400);
    expect((await fetch(`${edge.url}/api/events/batch`)).status).toBe(405);
    expect((await send('{"events":[{]}')).status).toBe(400);
  });
});

describe('an API key', () => {
  test('may be sent as a bearer; with both X-API-KEY decides', async () => {
    const bearer = { Authorization: `bEaReR ${LIVE_KEY}` };
    const track = (headers: Record<string, string>, key = '') => post(`${edge.url}/api/track`, event(), key, headers);
    expect((await track(bearer)).status).toBe(200);
    expect((await track(bearer, 'nobody')).status).toBe(401);
    const refused = await track({ Authorization: `Basic ${LIVE_KEY}` });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});
