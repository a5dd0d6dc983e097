import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLOUD_EVENT_NAMES, idempotencyIdOf, mapCloudEvent } from '../../../ingest/cloudevents/cloud-event.ts';
import { inputOf, inSenderNames } from '../../../ingest/sender-values/mapped-event.ts';
import { report } from '../../../ingest/usage-event-input.ts';
import type { Caller } from '../../../runtime/http/api-key.ts';

/** CloudEvents as events of `/api/track` (spec/senders#cloudevents). */

const NOW = Date.UTC(2026, 10, 23, 8);
const CALLER: Caller = { keyId: 'key_1', accountId: 'acct_1', mode: 'live', scopes: ['events:write'], rateLimit: null };

function cloudEvent(more: Record<string, unknown> = {}) {
  return { specversion: '1.0', type: 'prompt', source: 'gateway', id: '7', subject: 'acme', ...more };
}

/** All that is wrong with an event, what the mapping leaves to the rules of `/api/track` included, in its sender's words. */
function errorsOf(more: Record<string, unknown>) {
  const mapped = mapCloudEvent(cloudEvent(more), NOW);
  report(mapped.findings, 'none', 'Makes it look at everything.');
  const input = inputOf(mapped, CALLER, NOW);
  const { none: _, ...errors } = 'errors' in input ? inSenderNames(input.errors, CLOUD_EVENT_NAMES) : {};
  return errors;
}

describe('mapCloudEvent', () => {
  test('each attribute has its field', () => {
    const event = cloudEvent({ time: '2026-11-23T07:59:59.5', data: { tokens: 3, usage: { input: 2 } } });
    const { body, idempotencyId, findings } = mapCloudEvent(event, NOW);
    expect({ ...body, properties: { ...(body.properties as object) } }).toEqual({
      event_name: 'prompt',
      customer_id: 'acme',
      idempotency_id: 'gateway 7',
      time_created: '2026-11-23T07:59:59.500Z',
      properties: { tokens: 3, 'usage.input': 2 },
    });
    expect([idempotencyId, findings.bad]).toEqual(['gateway 7', undefined]);
  });

  test('without a time, or with null, it happened when it came', () => {
    for (const event of [cloudEvent(), cloudEvent({ time: null })])
      expect(mapCloudEvent(event, NOW).body.time_created).toBe('2026-11-23T08:00:00.000Z');
  });

  test('extensions and dataschema are taken, and not kept', () => {
    const { body } = mapCloudEvent(cloudEvent({ dataschema: 'https://x', traceparent: '00', partitionkey: 5 }), NOW);
    expect(Object.keys(body)).toHaveLength(5);
    expect(errorsOf({ dataschema: 'https://x', traceparent: '00', partitionkey: 5 })).toEqual({});
  });

  test.each([
    [{ specversion: undefined }, { specversion: ['Required.'] }],
    [{ specversion: '0.3' }, { specversion: ['Must be "1.0".'] }],
    [{ specversion: 1 }, { specversion: ['Must be "1.0".'] }],
    [{ type: null }, { type: ['Required.'] }],
    [{ subject: undefined }, { subject: ['Required.'] }],
    [{ subject: '' }, { subject: ['This field may not be blank.'] }],
    [{ subject: 5 }, { subject: ['Must be a string.'] }],
    [{ id: undefined }, { id: ['Required.'] }],
    [{ id: 7 }, { id: ['Must be a string.'] }],
    [{ id: '' }, { id: ['This field may not be blank.'] }],
    [{ id: 'a\u0007' }, { id: ['Must not contain control characters.'] }],
    [{ source: undefined }, { source: ['Required.'] }],
    [{ source: '' }, { source: ['This field may not be blank.'] }],
    [{ time: 'yesterday' }, { time: ['Must be an ISO 8601 date-time.'] }],
    [{ time: 1763632800 }, { time: ['Must be a string.'] }],
    [{ time: '1999-01-01T00:00:00Z' }, { time: ['Must not be before 2000-01-01.'] }],
    [{ time: '2026-11-25T00:00:00Z' }, { time: ['Must not be more than 24 hours ahead.'] }],
    [{ datacontenttype: 'text/plain' }, { datacontenttype: ['Must be a media type of JSON.'] }],
    [{ datacontenttype: 'application/jsonx' }, { datacontenttype: ['Must be a media type of JSON.'] }],
    [{ datacontenttype: 5 }, { datacontenttype: ['Must be a media type of JSON.'] }],
    [{ data: 'text' }, { data: ['Must be an object.'] }],
    [{ data: { usage: { input: [1] } } }, { 'data.usage.input': ['Must be a string, a number or a boolean.'] }],
    [{ data: { '': 1 } }, { 'data.': ["A property's name must have 1 to 256 characters."] }],
    [{ data: { 'a.b': 1, a: { b: 2 } } }, { 'data.a.b': ['Must not have two values: its dotted name stands twice.'] }],
    [{ data_base64: 'not base64!' }, { data_base64: ['Must be a JSON object in UTF-8, encoded as Base64.'] }],
    [{ data_base64: btoa('[1]') }, { data_base64: ['Must be a JSON object in UTF-8, encoded as Base64.'] }],
    [{ data_base64: btoa('\xff{}') }, { data_base64: ['Must be a JSON object in UTF-8, encoded as Base64.'] }],
    [{ data_base64: 5 }, { data_base64: ['Must be a JSON object in UTF-8, encoded as Base64.'] }],
    [{ data_base64: btoa('{}'), data: {} }, { data_base64: ['Must not be sent together with data.'] }],
    [{ data_base64: btoa('{"a":[]}') }, { 'data.a': ['Must be a string, a number or a boolean.'] }],
    [
      { specversion: '2', source: 'a b', subject: undefined, data: { x: [] }, time: '' },
      {
        specversion: ['Must be "1.0".'],
        source: ['Must not contain white space, control characters or lone surrogates.'],
        subject: ['Required.'],
        time: ['This field may not be blank.'],
        'data.x': ['Must be a string, a number or a boolean.'],
      },
    ],
  ])('%j is refused with all that is wrong, by the names of CloudEvents', (more, expected) => {
    expect(errorsOf(more)).toEqual(expected);
  });

  test.each([
    [undefined],
    ['application/json'],
    ['Application/JSON; charset=utf-8'],
    ['application/vnd.acme+json'],
    ['text/json'],
  ])('datacontenttype %s is JSON', (datacontenttype) => {
    expect(errorsOf({ datacontenttype })).toEqual({});
  });

  test('data_base64 that holds an object is data', () => {
    const { body } = mapCloudEvent(
      cloudEvent({ data: null, data_base64: Buffer.from('{"é":{"n":1}}').toString('base64') }),
      NOW,
    );
    expect({ ...(body.properties as object) }).toEqual({ 'é.n': 1 });
  });

  test.each([[' '], ['\t'], ['\u00a0'], ['\u2003'], ['\u3000'], ['\u0000'], ['\u0085'], ['\ud800']])(
    '%j in a source is refused',
    (character) => {
      const unfit = ['Must not contain white space, control characters or lone surrogates.'];
      expect(errorsOf({ source: `a${character}b` })).toEqual({ source: unfit });
    },
  );

  test('source and id have 256 code points together, with the space between them', () => {
    const id = '😀'.repeat(248);
    expect(errorsOf({ id })).toEqual({});
    expect(errorsOf({ id: `${id}x` })).toEqual({ id: ['Must have at most 256 characters.'] });
  });
});

describe('idempotencyIdOf', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', ' ', '%20', '\t', '\u00a0') }),
  );

  test('two pairs of source and id never meet', () => {
    fc.assert(
      fc.property(text, text, text, text, (source, id, otherSource, otherId) => {
        const [one, other] = [idempotencyIdOf({ source, id }), idempotencyIdOf({ source: otherSource, id: otherId })];
        if (one !== null && one === other) expect([source, id]).toEqual([otherSource, otherId]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('an id is read back from it: what stands before the first space is the source', () => {
    fc.assert(
      fc.property(text, text, (source, id) => {
        const made = idempotencyIdOf({ source, id });
        if (made === null) return;
        const at = made.indexOf(' ');
        expect([made.slice(0, at), made.slice(at + 1)]).toEqual([source, id]);
      }),
      { numRuns: 2_000 },
    );
  });
});
