import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { WRONG } from '../../../ingest/intake/event-input.ts';
import { howMany } from '../../how-many.ts';
import { LIVE_KEY, post, postPatiently, READ_KEY } from '../edge-fixture.ts';
import { readyEdge, trackEvent } from '../ready-edge.ts';
import { storedEvents } from '../stored-events.ts';

const SETTINGS = { usagePartitions: 4, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

const ready = readyEdge(SETTINGS);

const send = (body: unknown, headers?: Record<string, string>, key?: string) =>
  postPatiently(`${ready.edge.url}/api/events/batch`, body, key, headers);
const lines = (...events: unknown[]) =>
  events.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');

async function storedIds(): Promise<Set<string>> {
  const events = await storedEvents(ready.nats.natsUrl, SETTINGS.usagePartitions);
  return new Set(events.map(({ idempotencyId }) => idempotencyId));
}

describe('a batch', () => {
  test('of JSON is stored when the answer comes', async () => {
    const events = Array.from({ length: 600 }, () => trackEvent({ properties: { n: 1.5 } }));
    const answer = await send({ events });
    expect([answer.status, answer.body]).toEqual([200, { accepted: 600, rejected: [] }]);
    const ids = await storedIds();
    expect(events.filter(({ idempotency_id }) => !ids.has(idempotency_id))).toEqual([]);
  });

  test('behind a byte order mark is read from its first event on', async () => {
    const events = [trackEvent(), trackEvent()];
    const [ofLines, ofJson] = [`\ufeff${lines(...events)}`, `\ufeff${JSON.stringify({ events: [trackEvent()] })}`];
    expect((await send(ofLines, NDJSON)).body).toEqual({ accepted: 2, rejected: [] });
    expect((await send(ofJson)).body).toEqual({ accepted: 1, rejected: [] });
    const single = await post(`${ready.edge.url}/api/track`, `\ufeff${JSON.stringify(trackEvent())}`);
    expect(single.status).toBe(200);
  });

  test('of lines tells the bad ones by their place, blank lines not counted', async () => {
    const [first, last] = [trackEvent(), trackEvent()];
    const body = lines(
      first,
      '',
      '{"event_name":',
      '\r',
      '[1]',
      trackEvent({ customer_id: 5, x: 1 }),
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
    const body = compress(lines(trackEvent(), trackEvent()));
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
    expect((await send({ events: [trackEvent()] }, {}, 'nobody')).status).toBe(401);
    expect((await send({ events: [trackEvent()] }, {}, READ_KEY)).status).toBe(403);
    expect((await send({ events: [trackEvent()] }, { 'Content-Type': 'text/plain' })).status).toBe(400);
    expect((await fetch(`${ready.edge.url}/api/events/batch`)).status).toBe(405);
    expect((await send('{"events":[{]}')).status).toBe(400);
  });
});

/** An event whose compact JSON has so many bytes in UTF-8. */
function eventOf(bytes: number): Record<string, unknown> {
  const fillings = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`p${i}`, 'ü'.repeat(2_047)]));
  const most = trackEvent({ properties: { ...fillings, last: '' } });
  const left = bytes - Buffer.byteLength(JSON.stringify(most));
  return { ...most, properties: { ...fillings, last: 'x'.repeat(left) } };
}
const SIZE = 64 * 1024;

describe('bounds', () => {
  test('64 KiB of an event, as compact JSON in UTF-8: at it and one above, white space aside', async () => {
    const [good, bad] = [eventOf(SIZE), eventOf(SIZE + 1)];
    expect(Buffer.byteLength(JSON.stringify(good))).toBe(SIZE);
    const spaced = JSON.stringify(trackEvent(), null, 2).replaceAll('\n', ' '.repeat(SIZE));
    const rejected = [{ index: 1, idempotency_id: bad.idempotency_id, errors: { event: [WRONG.size] } }];
    expect((await send(lines(good, bad, spaced), NDJSON)).body).toEqual({ accepted: 2, rejected });
    expect((await send({ events: [good, bad] })).body).toEqual({ accepted: 1, rejected });
    // Too large comes before anything that is wrong within.
    const both = { ...eventOf(SIZE + 100), customer_id: 5 };
    expect((await send({ events: [both] })).body.rejected).toMatchObject([{ errors: { event: [WRONG.size] } }]);
  });

  test('10 levels of nesting, the event being the first', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    const [ten, eleven] = [trackEvent({ x: nested(9) }), trackEvent({ x: nested(10) })];
    const numbers = JSON.stringify(trackEvent({ x: nested(10) })).replace('"a":1', '"a":1e5');
    const { body } = await send(lines(ten, eleven, numbers), NDJSON);
    expect(body.rejected).toMatchObject([
      { index: 0, errors: { x: ['Unknown field.'] } },
      { index: 1, idempotency_id: eleven.idempotency_id, errors: { event: [WRONG.depth] } },
      { index: 2, idempotency_id: expect.stringMatching(/^evt-/), errors: { event: [WRONG.depth] } },
    ]);
  });

  test('10,000 events, and one more', async () => {
    const events = Array.from({ length: 10_000 }, () => trackEvent());
    const all = { accepted: 10_000, rejected: [] };
    const told = { events: ['Must have 1 to 10,000 events.'] };
    expect((await send(lines(...events, '', ''), NDJSON)).body).toEqual(all);
    expect((await send({ events })).body).toEqual(all);
    for (const answer of [
      await send(lines(...events, trackEvent()), NDJSON),
      await send({ events: [...events, trackEvent()] }),
    ])
      expect([answer.status, answer.body]).toEqual([422, told]);
    const ids = await storedIds();
    expect(events.filter(({ idempotency_id }) => !ids.has(idempotency_id))).toEqual([]);
  });

  test.each([
    ['identity', (bytes: Buffer) => bytes],
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const)('8 MiB by %s, and one byte more', async (encoding, compress) => {
    const line = Buffer.from(`${JSON.stringify(trackEvent())}\n`);
    const body = (bytes: number) => compress(Buffer.concat([line, Buffer.alloc(bytes - line.length, 0x20)]));
    const headers = { ...NDJSON, 'Content-Encoding': encoding };
    const good = await send(body(8 * 2 ** 20), headers);
    expect([good.status, good.body]).toEqual([200, { accepted: 1, rejected: [] }]);
    const bad = await send(body(8 * 2 ** 20 + 1), headers);
    expect([bad.status, bad.body.code]).toEqual([413, 'too_large']);
  });
});

describe('what is compressed', () => {
  const good = () => Buffer.from(`${JSON.stringify(trackEvent())}\n`);
  const skippable = Buffer.from('502a4d1803000000616263', 'hex');

  test.each([
    ['gzip', 'several members', () => Buffer.concat([gzipSync(good()), gzipSync(good())]), 2],
    ['zstd', 'several frames', () => Buffer.concat([zstdCompressSync(good()), skippable, zstdCompressSync(good())]), 2],
  ])('%s: %s are one body', async (encoding, _what, body, accepted) => {
    const answer = await send(body(), { ...NDJSON, 'Content-Encoding': encoding });
    expect([answer.status, answer.body]).toEqual([200, { accepted, rejected: [] }]);
  });

  test.each([
    ['gzip', 'plain text', good],
    ['gzip', 'what is cut off', () => gzipSync(good()).subarray(0, -3)],
    ['gzip', 'something behind it', () => Buffer.concat([gzipSync(good()), good()])],
    ['gzip', 'another encoding', () => zstdCompressSync(good())],
    ['zstd', 'plain text', good],
    ['zstd', 'what is cut off', () => zstdCompressSync(good()).subarray(0, -3)],
    ['zstd', 'something behind it', () => Buffer.concat([zstdCompressSync(good()), good()])],
    ['zstd', 'a window of 128 MiB', () => Buffer.from('28b52ffd008818000061626319000064', 'hex')],
  ])('%s: %s is 400, and stores nothing', async (encoding, _what, body) => {
    const answer = await send(body(), { ...NDJSON, 'Content-Encoding': encoding });
    expect([answer.status, answer.body.detail]).toEqual([400, `The body is not valid ${encoding}.`]);
  });

  test.each(['gzip', 'zstd'])('a bomb by %s is 413, and the next body is taken', async (encoding) => {
    const zeros = Buffer.alloc(howMany(32, 256) * 2 ** 20);
    const bomb = encoding === 'gzip' ? gzipSync(zeros) : zstdCompressSync(zeros);
    const headers = { ...NDJSON, 'Content-Encoding': encoding };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(bomb, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 413));
    expect((await send({ events: [trackEvent()] })).status).toBe(200);
  });

  test.each([
    ['deflate', 9 * 2 ** 20],
    ['br', 9],
    ['gzip, gzip', 9],
    ['', 9],
  ])('Content-Encoding %s is 415, after 403 and before 413', async (encoding, bytes) => {
    const large = Buffer.alloc(bytes, 0x20);
    for (const path of ['/api/events/batch', '/api/track', '/api/v1/events']) {
      const answer = await post(`${ready.edge.url}${path}`, large, LIVE_KEY, { 'Content-Encoding': encoding });
      expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'gzip, zstd']);
      const refused = await post(`${ready.edge.url}${path}`, large, READ_KEY, { 'Content-Encoding': encoding });
      expect(refused.status).toBe(403);
    }
  });

  test('an event of /api/track may be as well, up to 64 KiB', async () => {
    const track = (body: Buffer, encoding: string) =>
      post(`${ready.edge.url}/api/track`, body, LIVE_KEY, { 'Content-Encoding': encoding });
    expect((await track(gzipSync(JSON.stringify(trackEvent())), 'gzip')).status).toBe(200);
    expect((await track(zstdCompressSync(JSON.stringify(trackEvent())), 'zstd')).status).toBe(200);
    expect((await track(gzipSync(Buffer.alloc(SIZE + 1, 0x20)), 'gzip')).status).toBe(413);
    expect((await track(Buffer.from(JSON.stringify(trackEvent())), 'gzip')).status).toBe(400);
    expect((await track(Buffer.alloc(0), 'gzip')).status).toBe(400);
  });
});

describe('bad events among good ones', () => {
  const broken = Buffer.concat([Buffer.from('{"event_name":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  const bad: [string | Buffer, Record<string, string[]>, string | null][] = [
    ['nonsense', { event: [WRONG.json] }, null],
    ['{"idempotency_id":"cut-off"', { event: [WRONG.json] }, null],
    [broken, { event: [WRONG.utf8] }, null],
    ['null', { event: [WRONG.object] }, null],
    ['"text"', { event: [WRONG.object] }, null],
    ['{"idempotency_id":7}', expect.objectContaining({ idempotency_id: ['Must be a string.'] }), null],
    ['{"idempotency_id":"e"}', expect.objectContaining({ customer_id: ['Required.'] }), 'e'],
    [
      JSON.stringify({ ...trackEvent(), idempotency_id: 'far', time_created: '2099-01-01T00:00:00Z' }),
      { time_created: ['Must not be more than 24 hours ahead.'] },
      'far',
    ],
    [
      JSON.stringify({ ...trackEvent(), idempotency_id: 'n', properties: { n: 0 } }).replace(
        '"n":0',
        '"n":0.1234567890123456789',
      ),
      { 'properties.n': ['Must be a number of at most 20 integer digits and 18 decimals.'] },
      'n',
    ],
  ];

  test('each is told, and the others are stored', async () => {
    const between = bad.map(() => trackEvent());
    const parts = bad
      .flatMap(([text], i) => [JSON.stringify(between[i]), '\n', text, '\r\n'])
      .map((one) => Buffer.from(one));
    const { status, body } = await send(Buffer.concat(parts), NDJSON);
    const rejected = bad.map(([, errors, id], i) => ({ index: 2 * i + 1, idempotency_id: id, errors }));
    expect([status, body]).toEqual([200, { accepted: bad.length, rejected }]);
    const ids = await storedIds();
    expect(between.filter(({ idempotency_id }) => !ids.has(idempotency_id))).toEqual([]);
    expect([...ids].filter((id) => ['e', 'far', 'n'].includes(id))).toEqual([]);
  });

  test('of two with one id the earlier is stored first', async () => {
    const id = 'twice';
    const events = Array.from({ length: 2_000 }, (_, i) =>
      trackEvent({ ...(i % 700 === 5 && { idempotency_id: id }), customer_id: `c${i}` }),
    );
    expect((await send({ events })).body).toEqual({ accepted: 2_000, rejected: [] });
    const stored = await storedEvents(ready.nats.natsUrl, SETTINGS.usagePartitions);
    expect(stored.filter(({ idempotencyId }) => idempotencyId === id).map(({ customerId }) => customerId)).toEqual([
      'c5',
      'c705',
      'c1405',
    ]);
  });
});

describe('an API key', () => {
  test('may be sent as a bearer; with both X-API-KEY decides', async () => {
    const bearer = { Authorization: `bEaReR ${LIVE_KEY}` };
    const track = (headers: Record<string, string>, key = '') =>
      post(`${ready.edge.url}/api/track`, trackEvent(), key, headers);
    expect((await track(bearer)).status).toBe(200);
    expect((await track(bearer, 'nobody')).status).toBe(401);
    const refused = await track({ Authorization: `Basic ${LIVE_KEY}` });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});
