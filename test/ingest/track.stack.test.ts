import { describe, expect, test } from 'vitest';
import { durabilityTold } from '../stack/durability.ts';
import { patientStream } from '../stream/patient-stream.ts';
import { LIVE_KEY, post, postChunked, postPatiently, READ_KEY, TEST_KEY, UNKNOWABLE_KEY } from './edge-fixture.ts';
import { readyEdge, trackEvent } from './ready-edge.ts';
import { storedEvents as storedIn } from './stored-events.ts';

const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 22, streamReplicas: 1 };

const ready = readyEdge(SETTINGS);

const track = (body: unknown, key?: string, headers?: Record<string, string>) =>
  post(`${ready.edge.url}/api/track`, body, key, headers);

const storedEvents = () => storedIn(ready.nats.natsUrl);

describe('an accepted event', () => {
  test('is in the stream when the answer comes', async () => {
    const body = trackEvent({ properties: { n: 1.5, s: '2', b: true } });
    const answer = await track(body, LIVE_KEY, { 'X-Request-Id': 'mine-1' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: 'all', idempotency_id: body.idempotency_id, status: 'queued' });
    expect(answer.headers.get('x-request-id')).toBe('mine-1');
    const stored = (await storedEvents()).find(({ idempotencyId }) => idempotencyId === body.idempotency_id);
    expect(stored).toMatchObject({ accountId: 'acct_live', numbers: { n: '1.5', s: '2' }, strings: { s: '2' } });
  });

  test('a repeat is 200 as well', async () => {
    const body = trackEvent();
    expect((await track(body)).status).toBe(200);
    expect((await track({ ...body, customer_id: 'other' })).status).toBe(200);
  });

  test.each(['/api/track', '/api/track/', '/track', '/track/', '/api/track?'])('%s answers', async (path) => {
    expect((await post(`${ready.edge.url}${path}`, trackEvent())).status).toBe(200);
  });

  test('test mode has a future, live mode a day of it', async () => {
    const far = trackEvent({ time_created: '2031-01-01T00:00:00Z' });
    expect((await track(far, TEST_KEY)).status).toBe(200);
    expect((await track(far)).body).toEqual({ time_created: ['Must not be more than 24 hours ahead.'] });
  });

  test('many at once are one group or few, each answered with its own id', async () => {
    const bodies = Array.from({ length: 200 }, () => trackEvent());
    const answers = await Promise.all(bodies.map((body) => postPatiently(`${ready.edge.url}/api/track`, body)));
    expect(answers.map(({ body }) => body.idempotency_id)).toEqual(bodies.map((body) => body.idempotency_id));
    const ids = new Set((await storedEvents()).map(({ idempotencyId }) => idempotencyId));
    expect(bodies.every((body) => ids.has(body.idempotency_id))).toBe(true);
  });

  test('the largest event that is allowed fits', async () => {
    const properties = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`k${i}`, 'x'.repeat(4_096)]));
    expect((await track(trackEvent({ properties }))).status).toBe(200);
  });
});

describe('a refused event', () => {
  test.each([
    ['no key', trackEvent(), ''],
    ['an unknown key', trackEvent(), 'nobody'],
  ])('%s: 401', async (_what, body, key) => {
    const answer = await post(`${ready.edge.url}/api/track`, body, key);
    expect([answer.status, typeof answer.body.detail]).toEqual([401, 'string']);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  test('a key without the scope: 403, before anything about the body', async () => {
    expect((await track('nonsense', READ_KEY)).status).toBe(403);
  });

  test('a key that cannot be looked up: 503, never 401', async () => {
    const answer = await track(trackEvent(), UNKNOWABLE_KEY);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test.each([
    ['not JSON', '{'],
    ['not an object', '[]'],
    ['too deep', JSON.stringify(trackEvent()).replace('}', `,"properties":${'['.repeat(10)}${']'.repeat(10)}}`)],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
  ])('%s: 400', async (_what, body) => {
    const answer = await track(body);
    expect([answer.status, typeof answer.body.detail]).toEqual([400, 'string']);
  });

  test('another content type: 400; with parameters and in capitals it is the same type', async () => {
    expect((await track(trackEvent(), LIVE_KEY, { 'Content-Type': 'text/plain' })).status).toBe(400);
    expect((await track(trackEvent(), LIVE_KEY, { 'Content-Type': 'Application/JSON; charset=utf-8' })).status).toBe(
      200,
    );
  });

  test('an empty body is {}: every required field is named', async () => {
    const answer = await track('');
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['event_name', 'customer_id', 'idempotency_id', 'time_created']);
  });

  test('a body above 64 KiB: 413, with a length and without', async () => {
    const big = trackEvent({ properties: { s: 'x'.repeat(70_000) } });
    expect((await track(big)).status).toBe(413);
    expect(await postChunked(`${ready.edge.url}/api/track`, Buffer.from(JSON.stringify(big)), LIVE_KEY)).toBe(413);
    expect(await postChunked(`${ready.edge.url}/api/track`, Buffer.from(JSON.stringify(trackEvent())), LIVE_KEY)).toBe(
      200,
    );
  });

  test('another method: 405 with Allow', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await fetch(`${ready.edge.url}/api/track`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('does not use up its id', async () => {
    const body = trackEvent({ properties: { a: null } });
    expect((await track(body)).status).toBe(422);
    expect((await storedEvents()).some(({ idempotencyId }) => idempotencyId === body.idempotency_id)).toBe(false);
    expect((await track({ ...body, properties: {} })).status).toBe(200);
  });
});

describe('a stream that cannot store', () => {
  test('the real configuration is checked', async () => {
    const connection = await patientStream(ready.nats.natsUrl);
    expect(await durabilityTold(connection, SETTINGS)).toEqual({ problems: [], unverified: [] });
    const { problems } = await durabilityTold(connection, { ...SETTINGS, usageStreamMaxBytes: 5, streamReplicas: 3 });
    expect(problems).toHaveLength(2);
    await connection.close();
  });

  test('full: 503 with Retry-After, and not counted as accepted', async () => {
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, 'x'.repeat(4_096)]));
    let answer = await track(trackEvent({ properties }));
    let { events } = ready.edge.accepted;
    while (answer.status === 200) {
      events = ready.edge.accepted.events;
      answer = await track(trackEvent({ properties }));
    }
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(ready.edge.accepted.events).toBe(events);
  });

  test('away: 503 within 3 s; back: 200 again without a human', async () => {
    const back = ready.nats.killNats();
    const started = performance.now();
    const took: number[] = [];
    const send = async () => {
      const answer = await track(trackEvent({ properties: { x: 1 } }));
      took.push(performance.now() - started);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    // Of several, since one of them may have met a moment in which the machine did nothing for us.
    expect(Math.min(...took)).toBeLessThan(3_000);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    await back;
    await expect.poll(async () => (await fetch(`${ready.edge.url}/readyz/ingest`)).status).toBe(200);
  });
});
