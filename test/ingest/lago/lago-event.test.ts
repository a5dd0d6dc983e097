import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lagoNames, mapLagoEvent } from '../../../ingest/lago/lago-event.ts';
import { lagoIdOf } from '../../../ingest/lago/lago-id.ts';
import { parseWithDigits } from '../../../ingest/parse-body.ts';
import { inputOf, inSenderNames } from '../../../ingest/sender-values/mapped-event.ts';
import { isObject } from '../../../ingest/sender-values/read-event.ts';
import { report } from '../../../ingest/usage-event-input.ts';
import type { Caller } from '../../../runtime/http/api-key.ts';

/** Lago's events as events of `/api/track` (spec/senders#lago). */

const NOW = Date.UTC(2026, 10, 23, 8);
const CALLER: Caller = { keyId: 'key_1', accountId: 'acct_1', mode: 'live', scopes: ['events:write'], rateLimit: null };

/** An event as it is read: numbers that are too long for a float keep their digits. */
function lagoEvent(more: Record<string, unknown> | string = {}) {
  const fields = { transaction_id: 't-1', code: 'tokens', external_customer_id: 'acme' };
  const text = typeof more === 'string' ? more : JSON.stringify(more);
  const value = parseWithDigits(text);
  return { ...fields, ...(isObject(value) ? value : {}) };
}

function errorsOf(more: Record<string, unknown> | string) {
  const event = lagoEvent(more);
  const mapped = mapLagoEvent(event, NOW);
  report(mapped.findings, 'none', 'Makes it look at everything.');
  const input = inputOf(mapped, CALLER, NOW);
  const { none: _, ...errors } = 'errors' in input ? inSenderNames(input.errors, lagoNames(event)) : {};
  return errors;
}

describe('mapLagoEvent', () => {
  test('each field has its own', () => {
    const { body } = mapLagoEvent(lagoEvent({ timestamp: 1763632800, properties: { n: '3', usage: { in: 2 } } }), NOW);
    expect({ ...body, properties: { ...(body.properties as object) } }).toEqual({
      event_name: 'tokens',
      customer_id: 'acme',
      idempotency_id: 't-1',
      time_created: '2025-11-20T10:00:00.000Z',
      properties: { n: '3', 'usage.in': 2 },
    });
  });

  test.each([
    ['{"external_customer_id":"a","external_subscription_id":"b"}', 'a'],
    ['{"external_customer_id":null,"external_subscription_id":"b"}', 'b'],
    ['{"external_customer_id":"a","external_subscription_id":null}', 'a'],
  ])('the customer of %s is %s', (text, expected) => {
    expect(mapLagoEvent(lagoEvent(text), NOW).body.customer_id).toBe(expected);
  });

  test('whole numbers as names and ids are taken by their digits', () => {
    const sent = '{"external_customer_id":42,"transaction_id":12345678901234567890,"code":7}';
    const { body, idempotencyId } = mapLagoEvent(lagoEvent(sent), NOW);
    expect(body).toMatchObject({ customer_id: '42', idempotency_id: '12345678901234567890', event_name: '7' });
    expect([idempotencyId, errorsOf(sent)]).toEqual(['12345678901234567890', {}]);
  });

  test.each([
    ['1763632800', '2025-11-20T10:00:00.000Z'],
    ['1763632800.1239', '2025-11-20T10:00:00.123Z'],
    ['1763632800.123456789012345', '2025-11-20T10:00:00.123Z'],
    ['"1763632800.75"', '2025-11-20T10:00:00.750Z'],
    ['"2025-11-20T10:00:00"', '2025-11-20T10:00:00.000Z'],
    ['"2025-11-20T10:00:00.5+01:00"', '2025-11-20T09:00:00.500Z'],
    ['null', '2026-11-23T08:00:00.000Z'],
  ])('the timestamp %s is %s', (timestamp, expected) => {
    expect(mapLagoEvent(lagoEvent(`{"timestamp":${timestamp}}`), NOW).body.time_created).toBe(expected);
    expect(errorsOf(`{"timestamp":${timestamp}}`)).toEqual({});
  });

  const NOT_A_TIME = expect.stringContaining('Must be Unix seconds');
  test.each([
    ['{"transaction_id":null}', { transaction_id: ['This field may not be null.'] }],
    ['{"code":""}', { code: ['This field may not be blank.'] }],
    ['{"external_customer_id":null}', { external_customer_id: ['Required.'] }],
    ['{"external_customer_id":5.5}', { external_customer_id: ['Must be a string.'] }],
    [
      '{"external_customer_id":null,"external_subscription_id":[]}',
      { external_subscription_id: ['Must be a string.'] },
    ],
    ['{"transaction_id":1e30}', { transaction_id: ['Must be a string.'] }],
    ['{"transaction_id":" "}', { transaction_id: ['This field may not be blank.'] }],
    ['{"timestamp":1763632800000}', { timestamp: [NOT_A_TIME] }],
    ['{"timestamp":"soon"}', { timestamp: [NOT_A_TIME] }],
    ['{"timestamp":""}', { timestamp: [NOT_A_TIME] }],
    ['{"timestamp":true}', { timestamp: [NOT_A_TIME] }],
    ['{"timestamp":-5}', { timestamp: [NOT_A_TIME] }],
    ['{"timestamp":1e999999999}', { timestamp: [NOT_A_TIME] }],
    ['{"timestamp":5}', { timestamp: ['Must not be before 2000-01-01.'] }],
    ['{"properties":[1]}', { properties: ['Must be an object.'] }],
    ['{"properties":{"a":[]}}', { 'properties.a': ['Must be a string, a number or a boolean.'] }],
    [
      '{"properties":{"a":1e21}}',
      { 'properties.a': ['Must be a number of at most 20 integer digits and 18 decimals.'] },
    ],
    ['{"unknown":[{}],"precise_total_amount_cents":"1.2","lago_id":5}', {}],
  ])('%s: %j', (text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
  });
});

describe('lagoIdOf', () => {
  test('is a UUID, the same for a repeat and another one for anybody else', () => {
    expect(lagoIdOf('acct_1', 't-1')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(lagoIdOf('acct_1', 't-1')).toBe(lagoIdOf('acct_1', 't-1'));
    expect(new Set([lagoIdOf('acct_1', 't-1'), lagoIdOf('acct_1', 't-2'), lagoIdOf('acct_2', 't-1')]).size).toBe(3);
  });

  test('of any account and id', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (account, id) => {
        expect(lagoIdOf(account, id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });
});
