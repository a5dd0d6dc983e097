import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../stack/wait-until.ts';
import { LIVE_KEY, post, postChunked, READ_KEY } from '../edge-fixture.ts';
import { cloudEvent, lagoEvent, v1Edge } from '../v1-fixture.ts';

/** `POST /api/v1/events` and `/api/v1/events/batch`: what Lago takes (spec/senders#lago), and what holds for both paths. */

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };

const { urlOf, bodyBytes, send, sendBatch, stored } = v1Edge();

describe('an event of Lago', () => {
  test('is answered as Lago answers, with what was sent as it was sent; so is its repeat', async () => {
    const text = `{"event":{"transaction_id":"lago-1","code":"tokens","external_subscription_id":"acme","timestamp":"1763632800.25",
      "properties":{"cost":0.00022500000000000002,"usage":{"in":3,"none":null},"model":"m"},"ignored":[1]}}`;
    const answer = await fetch(urlOf('/api/v1/events'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${LIVE_KEY}` },
      body: text,
    });
    const answered = await answer.text();
    expect(answer.status).toBe(200);
    expect(answered).toContain('"properties":{"cost":0.00022500000000000002,"usage":{"in":3,"none":null},"model":"m"}');
    const { event } = JSON.parse(answered);
    expect(event).toEqual({
      lago_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      transaction_id: 'lago-1',
      lago_customer_id: null,
      external_customer_id: null,
      code: 'tokens',
      timestamp: '2025-11-20T10:00:00.250Z',
      properties: expect.any(Object),
      lago_subscription_id: null,
      external_subscription_id: 'acme',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const repeat = await send(text);
    expect([repeat.status, repeat.body]).toMatchObject([200, { event: { lago_id: event.lago_id } }]);
    const [first] = await stored('lago-1');
    expect(first).toMatchObject({
      customerId: 'acme',
      timeCreated: Date.UTC(2025, 10, 20, 10, 0, 0, 250),
      numbers: { cost: '0.000225', 'usage.in': '3' },
      strings: { model: 'm' },
    });
  });

  test('has text where text belongs, whatever is sent there', async () => {
    const strange = { toString: 1, toJSON: 'x', valueOf: null };
    const ignored = await send({ event: lagoEvent({ external_subscription_id: strange }) });
    expect([ignored.status, ignored.body]).toMatchObject([200, { event: { external_subscription_id: null } }]);
    const refused = await send({ event: lagoEvent({ transaction_id: strange, code: [strange] }) });
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { error_details: { transaction_id: ['Must be a string.'], code: ['Must be a string.'] } },
    ]);
    expect((await sendBatch({ events: [lagoEvent({ transaction_id: strange })] })).status).toBe(422);
  });

  test('that is bad is refused as Lago refuses', async () => {
    const answer = await send({ event: lagoEvent({ code: null, properties: { a: [1] } }) }, { 'X-Request-Id': 'mine' });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        status: 422,
        error: 'Unprocessable Entity',
        code: 'validation_errors',
        error_details: {
          code: ['This field may not be null.'],
          'properties.a': ['Must be a string, a number or a boolean.'],
        },
        detail: 'The event was rejected: error_details says what is wrong, by field.',
        request_id: 'mine',
      },
    ]);
    expect((await send({ event: 5 })).body).toMatchObject({ error_details: { event: ['Must be an object.'] } });
    const tooLarge = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'x'.repeat(4_096)]));
    expect((await send({ event: lagoEvent({ properties: tooLarge }) })).status).toBe(413);
  });

  test('with a specversion beside it is a CloudEvent', async () => {
    expect((await send({ ...cloudEvent(), event: lagoEvent() })).status).toBe(204);
    expect((await send({ event: lagoEvent() }, STRUCTURED)).body).toMatchObject({ specversion: ['Required.'] });
  });

  test('in a batch: 200 with each, in order', async () => {
    const events = [lagoEvent({ properties: { n: 1 } }), lagoEvent(), lagoEvent()];
    const answer = await sendBatch({ events: [...events, events[0]], other: { a: 1 } });
    expect(answer.status).toBe(200);
    const answered = answer.body.events as { transaction_id: string; lago_id: string; properties: object }[];
    expect(answered.map(({ transaction_id }) => transaction_id)).toEqual(
      [...events, events[0]].map((one) => one?.transaction_id),
    );
    expect(answered[3]?.lago_id).toBe(answered[0]?.lago_id);
    expect(answered.map(({ properties }) => properties)).toEqual([{ n: 1 }, {}, {}, { n: 1 }]);
  });

  test('in a batch with bad ones: 422 by index, the good ones stored', async () => {
    const good = [lagoEvent(), lagoEvent()];
    const ofSubscription = { external_customer_id: null, external_subscription_id: '' };
    const answer = await sendBatch({
      events: [good[0], lagoEvent({ timestamp: 'soon' }), good[1], 'x', lagoEvent(ofSubscription)],
    });
    expect([answer.status, answer.body]).toMatchObject([
      422,
      {
        code: 'validation_errors',
        error_details: {
          1: { timestamp: [expect.stringContaining('Must be Unix seconds')] },
          3: { event: ['Must be a JSON object.'] },
          4: { external_subscription_id: ['This field may not be blank.'] },
        },
        detail: '3 of 5 events were rejected, the others are stored: error_details has them by index.',
      },
    ]);
    for (const { transaction_id } of good) expect(await stored(transaction_id)).toHaveLength(1);
  });

  test('whose answer nobody reads keeps its room until its sender is gone', async () => {
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, 'x'.repeat(4_096)]));
    const body = JSON.stringify({ events: Array.from({ length: 160 }, () => lagoEvent({ properties })) });
    const headers = { 'Content-Type': 'application/json', 'X-API-KEY': LIVE_KEY, 'Content-Length': body.length };
    const send = async () => {
      const sent = request(urlOf('/api/v1/events/batch'), { method: 'POST', headers });
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      if (answer.statusCode === 503) answer.resume();
      return answer;
    };
    // A busy machine may not store it in time.
    const answer = await waitUntil(send, ({ statusCode }) => statusCode !== 503);
    expect(answer.statusCode).toBe(200);
    expect(bodyBytes()).toBeGreaterThan(7 * 2 ** 20);
    answer.destroy();
    await expect.poll(bodyBytes).toBe(0);
  });

  test.each([
    ['none', { events: [] }, ['Must have 1 to 10,000 events.']],
    ['too many', { events: Array.from({ length: 10_001 }, () => ({})) }, ['Must have 1 to 10,000 events.']],
    ['no list', { events: {} }, ['Must be an array.']],
    ['nothing', {}, ['Required.']],
    ['an empty body', '', ['Required.']],
  ])('in a batch of %s: error_details.events', async (_what, body, messages) => {
    const answer = await sendBatch(body);
    expect([answer.status, answer.body.error_details]).toEqual([422, { events: messages }]);
  });

  test.each([
    ['no JSON', '{"events":[{]}'],
    ['broken beside the events', '{"events":[],"other":nonsense}'],
    ['a list', '[]'],
  ])('in a batch of %s: 400', async (_what, body) => {
    expect((await sendBatch(body)).status).toBe(400);
  });
});

describe('both paths', () => {
  test('take a compressed body, and a chunked one', async () => {
    const [gzipped, zstd] = [cloudEvent(), cloudEvent()];
    const compressed = [
      send(gzipSync(JSON.stringify(gzipped)), { ...STRUCTURED, 'Content-Encoding': 'gzip' }),
      send(zstdCompressSync(JSON.stringify(zstd)), { ...STRUCTURED, 'Content-Encoding': 'zstd' }),
    ];
    expect((await Promise.all(compressed)).map(({ status }) => status)).toEqual([204, 204]);
    const { transaction_id, ...rest } = lagoEvent();
    const chunked = Buffer.from(JSON.stringify({ event: { transaction_id, ...rest } }));
    expect(await postChunked(urlOf('/api/v1/events'), chunked, LIVE_KEY)).toBe(200);
    expect(await stored(transaction_id)).toHaveLength(1);
  });

  test.each(['/api/v1/events', '/v1/events', '/api/v1/events/'])('%s answers', async (path) => {
    expect((await post(urlOf(path), cloudEvent())).status).toBe(204);
    expect((await post(urlOf(path.replace(/\/?$/, '/batch')), { events: [lagoEvent()] })).status).toBe(200);
  });

  test('count as their own endpoints, by what was sent there', async () => {
    const counted = async () => {
      const text = await (await fetch(urlOf('/metrics'))).text();
      const lines = text
        .split('\n')
        .filter((line) => line.startsWith('meterbook_intake_') && !line.includes('"batch"'));
      return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]));
    };
    const before = await counted();
    await send([cloudEvent(), cloudEvent({ type: '' }), cloudEvent()]);
    await send({ event: lagoEvent() });
    await send({ event: lagoEvent({ code: '' }) });
    await sendBatch({ events: [lagoEvent(), lagoEvent(), 5] });
    const grown = [...(await counted())].map(([name, now]) => [name, now - (before.get(name) ?? 0)] as const);
    expect(Object.fromEntries(grown.filter(([, more]) => more > 0))).toEqual({
      'meterbook_intake_requests_total{endpoint="cloudevents",code="422"}': 1,
      'meterbook_intake_requests_total{endpoint="lago",code="200"}': 1,
      'meterbook_intake_requests_total{endpoint="lago",code="422"}': 2,
      'meterbook_intake_events_total{endpoint="cloudevents",result="accepted"}': 2,
      'meterbook_intake_events_total{endpoint="cloudevents",result="rejected"}': 1,
      'meterbook_intake_events_total{endpoint="lago",result="accepted"}': 3,
      'meterbook_intake_events_total{endpoint="lago",result="rejected"}': 2,
    });
  });

  test.each(['/api/v1/events', '/api/v1/events/batch'])('%s: 401, 403, 405, 422 for a parameter', async (path) => {
    expect((await post(urlOf(path), '{', 'nobody')).status).toBe(401);
    expect((await post(urlOf(path), '{', READ_KEY)).status).toBe(403);
    const read = await fetch(urlOf(path));
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
    const asked = await post(urlOf(`${path}?x=1`), { events: [] });
    expect([asked.status, asked.body]).toEqual([422, { x: ['Unknown parameter.'] }]);
  });
});
