import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TEST_KEY } from '../edge-fixture.ts';
import { cloudEvent, v1Edge } from '../v1-fixture.ts';

/** `POST /api/v1/events`: CloudEvents (spec/senders#cloudevents). */

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
const BATCH = { 'Content-Type': 'application/cloudevents-batch+json; charset=utf-8' };

const { send, stored } = v1Edge();

/** An event whose `/api/track` form is JSON of exactly `bytes`. */
function sizedCloudEvent(bytes: number) {
  const { id, ...event } = cloudEvent({ time: '2026-01-01T00:00:00.000Z' });
  const form = { event_name: 'prompt', customer_id: 'acme', idempotency_id: `gateway ${id}` };
  const data: Record<string, string> = {};
  const left = () =>
    bytes - JSON.stringify({ ...form, time_created: '2026-01-01T00:00:00.000Z', properties: data }).length;
  while (left() > 4_200) data[`k${left()}`] = 'x'.repeat(4_096);
  data.rest = '';
  data.rest = 'x'.repeat(left());
  return { ...event, id, data };
}

describe('a CloudEvent', () => {
  test.each([
    ['structured', STRUCTURED],
    ['as JSON', {}],
  ])('%s is stored when 204 comes', async (_mode, headers) => {
    const event = cloudEvent({ time: '2026-11-20T10:00:00', data: { usage: { input: 2 }, cost: null, model: 'm' } });
    const answer = await send(event, headers);
    expect([answer.status, answer.body]).toEqual([204, {}]);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(await stored(`gateway ${event.id}`)).toMatchObject([
      {
        eventName: 'prompt',
        customerId: 'acme',
        timeCreated: Date.UTC(2026, 10, 20, 10),
        numbers: { 'usage.input': '2' },
        strings: { model: 'm' },
      },
    ]);
  });

  test('in binary mode has its attributes in headers, percent-encoded, and its data in the body', async () => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-type': 'prompt',
      'ce-source': '/gateway%2Fone',
      'ce-id': 'caf%C3%A9 1',
      'ce-subject': 'Soci%C3%A9t%C3%A9%20A',
      'ce-extension': '%',
    };
    expect((await send('{"n":0.00022500000000000002}', headers)).status).toBe(204);
    expect(await stored('/gateway/one café 1')).toMatchObject([
      { customerId: 'Société A', numbers: { n: '0.000225' } },
    ]);
    const bare = { ...headers, 'ce-id': 'bare', 'Content-Type': 'text/plain' };
    expect((await send('', bare)).status).toBe(204);
    expect((await send('hello', bare)).body).toEqual({ datacontenttype: ['Must be a media type of JSON.'] });
    expect((await send('{', headers)).status).toBe(400);
    const wrong = await send('[1]', { ...headers, 'ce-subject': '50%' });
    expect([wrong.status, wrong.body]).toEqual([
      422,
      { data: ['Must be an object.'], subject: [expect.stringContaining('percent-encoded')] },
    ]);
  });

  test('of a time of its own counts for it, of none for its receipt', async () => {
    const before = Date.now();
    const event = cloudEvent();
    await send(event);
    const [{ timeCreated } = { timeCreated: 0 }] = await stored(`gateway ${event.id}`);
    expect(timeCreated).toBeGreaterThanOrEqual(before);
    expect(timeCreated).toBeLessThanOrEqual(Date.now());
    const future = { time: '2031-01-01T00:00:00Z' };
    expect((await send(cloudEvent(future), {}, TEST_KEY)).status).toBe(204);
    expect((await send(cloudEvent(future))).body).toEqual({ time: ['Must not be more than 24 hours ahead.'] });
  });

  test('that is bad is told in its words, and does not use up its id', async () => {
    const event = cloudEvent({ subject: undefined, data: { usage: { input: [] } } });
    const refused = await send(event, STRUCTURED);
    expect([refused.status, refused.body]).toEqual([
      422,
      { subject: ['Required.'], 'data.usage.input': ['Must be a string, a number or a boolean.'] },
    ]);
    expect((await send({ ...event, subject: 'acme', data: {} })).status).toBe(204);
    expect(await stored(`gateway ${event.id}`)).toHaveLength(1);
  });

  test('has at most 64 KiB in its /api/track form', async () => {
    expect((await send(sizedCloudEvent(65_536))).status).toBe(204);
    const over = await send(sizedCloudEvent(65_537));
    expect([over.status, over.body]).toMatchObject([
      413,
      { detail: 'The event is larger than 64 KiB.', code: 'too_large' },
    ]);
    expect((await send(cloudEvent({ dataschema: 'x'.repeat(100_000) }))).status).toBe(204);
    expect((await send(cloudEvent({ dataschema: 'x'.repeat(600_000) }))).status).toBe(413);
  });

  test.each([
    ['no JSON', '{', {}, 400],
    ['a number', '1234567890123456789012', {}, 400],
    ['a list as structured', '[]', STRUCTURED, 400],
    ['an object as a batch', '{}', BATCH, 400],
    ['nothing as a batch', '', BATCH, 400],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), {}, 400],
    ['too deep', JSON.stringify(cloudEvent()).replace('}', `,"data":${'{"a":'.repeat(10)}1${'}'.repeat(11)}`), {}, 400],
    ['another type', JSON.stringify(cloudEvent()), { 'Content-Type': 'application/xml' }, 400],
    ['nothing', '', {}, 422],
    ['an unknown encoding', '{}', { 'Content-Encoding': 'br' }, 415],
  ])('%s: answered in the shape of every error', async (_what, body, headers, status) => {
    const answer = await send(body, headers);
    expect(answer.status).toBe(status);
    if (status !== 422)
      expect(answer.body).toEqual({
        detail: expect.any(String),
        code: expect.any(String),
        request_id: expect.any(String),
      });
    else
      expect(Object.keys(answer.body)).toEqual(
        expect.arrayContaining(['specversion', 'type', 'source', 'id', 'subject']),
      );
  });
});

describe('a batch of CloudEvents', () => {
  test.each([
    ['of its own type', BATCH],
    ['as JSON', {}],
  ])('%s is 204, empty too', async (_type, headers) => {
    const events = Array.from({ length: 300 }, () => cloudEvent());
    expect((await send(events, headers)).status).toBe(204);
    expect((await send(events, headers)).status).toBe(204);
    expect((await send([], headers)).status).toBe(204);
    expect(await stored(`gateway ${events[299]?.id}`)).toHaveLength(2);
  });

  test('with bad ones among them is 422 and tells which; the others are stored', async () => {
    const good = [cloudEvent(), cloudEvent({ time: null })];
    const deep = { ...cloudEvent(), data: JSON.parse(`${'{"a":'.repeat(10)}1${'}'.repeat(10)}`) };
    const large = sizedCloudEvent(65_537);
    const bad = [
      5,
      cloudEvent({ type: '' }),
      cloudEvent({ source: 'a b' }),
      deep,
      large,
      cloudEvent({ id: 'x'.repeat(256) }),
    ];
    const answer = await send([good[0], ...bad, good[1]], { ...BATCH, 'X-Request-Id': 'mine' });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: '6 of 8 events were rejected, the others are stored.',
        code: 'events_rejected',
        request_id: 'mine',
        accepted: 2,
        rejected: [
          { index: 1, idempotency_id: null, errors: { event: ['Must be a JSON object.'] } },
          {
            index: 2,
            idempotency_id: expect.stringMatching(/^gateway c-/),
            errors: { type: ['This field may not be blank.'] },
          },
          {
            index: 3,
            idempotency_id: null,
            errors: { source: ['Must not contain white space, control characters or lone surrogates.'] },
          },
          {
            index: 4,
            idempotency_id: `gateway ${deep.id}`,
            errors: { event: ['Must not be nested deeper than 10 levels.'] },
          },
          {
            index: 5,
            idempotency_id: `gateway ${large.id}`,
            errors: { event: ['Must be at most 64 KiB as compact JSON.'] },
          },
          {
            index: 6,
            idempotency_id: `gateway ${'x'.repeat(256)}`,
            errors: { id: ['Must have at most 256 characters.'] },
          },
        ],
      },
    ]);
    for (const { id } of good) expect(await stored(`gateway ${id}`)).toHaveLength(1);
  });

  test('has at most 10,000 events and 8 MiB', async () => {
    const events = Array.from({ length: 10_001 }, (_, i) => cloudEvent({ id: `many-${i}` }));
    const over = await send(events, BATCH);
    expect([over.status, over.body]).toEqual([422, { events: ['Must be at most 10,000.'] }]);
    expect(await stored('gateway many-0')).toEqual([]);
    expect((await send(events.slice(1), BATCH)).status).toBe(204);
    const [first, ...rest] = JSON.stringify([cloudEvent(), cloudEvent()]);
    const padded = (bytes: number) => first + ' '.repeat(bytes - rest.length - 1) + rest.join('');
    expect((await send(padded(2 ** 23), BATCH)).status).toBe(204);
    expect((await send(padded(2 ** 23 + 1), BATCH)).status).toBe(413);
    expect((await send(gzipSync(padded(2 ** 23 + 1)), { ...BATCH, 'Content-Encoding': 'gzip' })).status).toBe(413);
  });

  test('that is broken in the middle is 400, and nothing of it is stored', async () => {
    const event = cloudEvent();
    for (const tail of [',{]', ',', '', ',nonsense]']) {
      const answer = await send(`[${JSON.stringify(event)}${tail}`, BATCH);
      expect([tail, answer.status, answer.body.detail]).toEqual([tail, 400, 'The body is not valid JSON.']);
    }
    expect(await stored(`gateway ${event.id}`)).toEqual([]);
  });
});
