import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WRONG } from '../../ingest/intake/event-input.ts';
import { InvalidEventError, type MeterOptions } from '../../sdk/typescript/source/meter/meter.ts';
import { waitUntil } from '../stack/wait-until.ts';
import type { Instead } from './batch-receiver.ts';
import {
  AHEAD,
  event,
  ids,
  meterFixture,
  ownMeterFixture,
  PATIENT,
  rejectedLines,
  spoolFiles,
  storedIds,
  tooFarAhead,
  trackAll,
} from './meter-fixture.ts';

const fixture = meterFixture();

describe('sending', () => {
  test('each event is sent once, at most so many together, by its key, and leaves nothing behind', async () => {
    const meter = await fixture.open({ batchEvents: 10 });
    expect(meter.track(event(0))).toBe('e-0');
    trackAll(meter, 94, 1);
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(95).sort());
    expect([...fixture.service.stored.values()].every((times) => times === 1)).toBe(true);
    expect(fixture.service.requests.every(({ lines, key }) => lines.length <= 10 && key === 'key')).toBe(true);
    expect(meter.stats()).toEqual({
      tracked: 95,
      accepted: 95,
      rejected: 0,
      pending: 0,
      spoolBytes: 0,
      oldestPendingAt: null,
      failures: 0,
      lastError: null,
    });
    expect(await meter.close()).toEqual({ pending: 0 });
    expect(readdirSync(fixture.spoolDir)).toEqual([]);
  });

  test('events wait for others, unless a whole batch is there or somebody flushes', async () => {
    const meter = await fixture.open({ batchEvents: 10, lingerMs: 3_600_000 });
    trackAll(meter, 25);
    await waitUntil(
      async () => storedIds(fixture).length,
      (count) => count === 20,
    );
    // It hears of them a moment after they are stored.
    await expect.poll(() => meter.stats()).toMatchObject({ accepted: 20, pending: 5 });
    await meter.flush(PATIENT);
    expect(storedIds(fixture).length).toBe(25);
  });

  test('what the line holds is what was tracked, digit for digit', async () => {
    const meter = await fixture.open();
    meter.track(event(1, { properties: { cost: 0.00022500000000000002, text: '0.00022500000000000002', 'ä"': true } }));
    await meter.flush(PATIENT);
    const [line = ''] = fixture.service.requests[0]?.lines ?? [];
    expect(line).toContain('"properties":{"cost":0.000225,"text":"0.00022500000000000002","ä\\"":true}');
  });

  test('many events go through many files', async () => {
    const meter = await fixture.open();
    const long = 'x'.repeat(4_000);
    for (let n = 0; n < 2_000; n++) meter.track(event(n, { properties: { long } }));
    expect(spoolFiles(fixture).length).toBeGreaterThan(5);
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(2_000).sort());
    expect(spoolFiles(fixture)).toEqual([]);
  });
});

describe('refused events', () => {
  test('one that is bad by the rules is thrown back and not taken', async () => {
    const meter = await fixture.open();
    const bad = { ...event(1), customer_id: '', properties: { p: null as never } };
    expect(() => meter.track(bad)).toThrow(InvalidEventError);
    const errors = { customer_id: ['This field may not be blank.'], 'properties.p': ['This field may not be null.'] };
    expect(() => meter.track(bad)).toThrow(expect.objectContaining({ errors: expect.objectContaining(errors) }));
    const long = { properties: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`p${i}`, 'x'.repeat(4_096)])) };
    expect(() => meter.track(event(2, long))).toThrow(expect.objectContaining({ errors: { event: [WRONG.size] } }));
    expect(meter.stats()).toMatchObject({ tracked: 0, pending: 0 });
  });

  test('one that the service refuses is told of and kept; the others are stored', async () => {
    const heard: [string | undefined, object][] = [];
    const meter = await fixture.open({
      onReject: ({ idempotency_id }, errors) => {
        heard.push([idempotency_id, errors]);
        throw new Error('the listener fails');
      },
    });
    meter.track(event(1));
    meter.track(tooFarAhead(2));
    meter.track(event(3));
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(['e-1', 'e-3']);
    expect(heard).toEqual([['e-2', AHEAD]]);
    expect(meter.stats()).toMatchObject({ accepted: 2, rejected: 1, pending: 0 });
    expect(rejectedLines(fixture)).toEqual([{ event: { ...tooFarAhead(2) }, errors: AHEAD, at: expect.any(String) }]);
  });

  test('a batch that is refused as a whole is halved, down to the event that is to blame', async () => {
    fixture.service.instead = ({ lines }) =>
      lines.some((line) => line.includes('"e-13"')) ? { status: 413, body: '{"detail": "Too large."}' } : undefined;
    const meter = await fixture.open();
    trackAll(meter, 50);
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(
      ids(50)
        .filter((id) => id !== 'e-13')
        .sort(),
    );
    expect(rejectedLines(fixture)).toMatchObject([
      { event: { idempotency_id: 'e-13' }, errors: { event: ['413: Too large.'] } },
    ]);
    expect(meter.stats()).toMatchObject({ accepted: 49, rejected: 1, failures: 0 });
  });

  test('of rejected.ndjson the newest 10 MiB stay', async () => {
    const path = join(fixture.spoolDir, 'rejected.ndjson');
    writeFileSync(path, `${JSON.stringify({ event: 'old', pad: 'x'.repeat(1_000) })}\n`.repeat(10_400));
    expect(statSync(path).size).toBeGreaterThan(10 * 2 ** 20);
    const meter = await fixture.open();
    meter.track(tooFarAhead(1));
    await meter.flush(PATIENT);
    expect(statSync(path).size).toBeLessThanOrEqual(10 * 2 ** 20);
    expect(statSync(path).size).toBeGreaterThan(8 * 2 ** 20);
    const lines = rejectedLines(fixture);
    expect(lines[0]).toMatchObject({ event: 'old' });
    expect(lines.at(-1)).toMatchObject({ event: { idempotency_id: 'e-1' } });
  });
});

// They wait, and so do it side by side.
describe.concurrent('answers that settle nothing', () => {
  test.for([401, 403, 408, 429, 500, 502, 503])('%i: sent again, until it is taken', async (status, context) => {
    const fixture = await ownMeterFixture(context);
    let left = 3;
    fixture.service.instead = () => (left-- > 0 ? { status } : undefined);
    const errors: string[] = [];
    const meter = await fixture.open({ onError: ({ message }) => void errors.push(message) });
    trackAll(meter, 5);
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(5));
    expect(errors).toEqual(Array.from({ length: 3 }, () => `Answered ${status}: `));
    expect(meter.stats()).toMatchObject({ accepted: 5, rejected: 0, failures: 3, lastError: `Answered ${status}: ` });
  });

  test.for<[what: string, instead: Instead]>([
    ['a page of somebody else', { status: 200, body: '<html>Log in</html>' }],
    ['an answer about other events', { status: 200, body: '{"accepted": 4, "rejected": []}' }],
    [
      'one about an event that was not sent',
      { status: 200, body: '{"accepted": 4, "rejected": [{"index": 9, "errors": {}}]}' },
    ],
    ['no content', { status: 204 }],
    ['a redirect', { status: 307, headers: { Location: 'http://127.0.0.1:1/' } }],
    ['an answer that is lost', 'lost'],
  ])('%s', async ([_, instead], context) => {
    const fixture = await ownMeterFixture(context);
    let left = 1;
    fixture.service.instead = () => (left-- > 0 ? instead : undefined);
    const meter = await fixture.open();
    trackAll(meter, 5);
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(5));
    expect(meter.stats()).toMatchObject({ accepted: 5, failures: 1 });
  });

  test('no answer in time', async (context) => {
    const fixture = await ownMeterFixture(context);
    let left = 1;
    fixture.service.instead = () => (left-- > 0 ? 'hang' : undefined);
    const meter = await fixture.open({ timeoutMs: 1_000 });
    trackAll(meter, 5);
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(5));
    expect(meter.stats()).toMatchObject({ accepted: 5, failures: expect.toSatisfy((failures) => failures >= 1) });
    expect(meter.stats().lastError).toContain('timeout');
  });

  test.for<[what: string, retryAfter: () => string]>([
    ['seconds', () => '1'],
    // Of whole seconds.
    ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('never again before Retry-After, in %s, by any request', async ([_, retryAfter], context) => {
    const fixture = await ownMeterFixture(context);
    let left = 1;
    fixture.service.instead = () =>
      left-- > 0 ? { status: 429, headers: { 'Retry-After': retryAfter() } } : undefined;
    const meter = await fixture.open({ batchEvents: 2, lingerMs: 0 });
    trackAll(meter, 1);
    await waitUntil(
      async () => meter.stats().failures,
      (failures) => failures === 1,
    );
    trackAll(meter, 10, 1);
    await meter.flush(PATIENT);
    const [first, ...others] = fixture.service.requests.map(({ at }) => at);
    expect(Math.min(...others) - (first ?? 0)).toBeGreaterThan(950);
  });
});

test.each<[string, Partial<MeterOptions>]>([
  ['batchEvents', { batchEvents: 0 }],
  ['batchEvents', { batchEvents: 10_001 }],
  ['lingerMs', { lingerMs: Number.NaN }],
  ['maxSpoolBytes', { maxSpoolBytes: -1 }],
  ['baseUrl', { baseUrl: 'ftp://host' }],
  ['Invalid URL', { baseUrl: 'nowhere' }],
  ['apiKey', { apiKey: '' }],
])('open says which option is none: %s', async (name, options) => {
  await expect(fixture.open(options)).rejects.toThrow(name);
});
