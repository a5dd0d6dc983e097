import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { FlushTimeoutError, MeterClosedError, SpoolFullError } from '../../sdk/typescript/source/meter/meter.ts';
import { waitUntil } from '../stack/wait-until.ts';
import {
  event,
  ids,
  meterFixture,
  PATIENT,
  rejectedLines,
  spoolFiles,
  storedIds,
  tooFarAhead,
  trackAll,
} from './meter-fixture.ts';

const fixture = meterFixture();

describe('flush and close', () => {
  test('the service is away: flush gives up, close leaves what is there, the next open sends it', async () => {
    await fixture.service.stop();
    const meter = await fixture.open();
    trackAll(meter, 5);
    await expect(meter.flush({ timeoutMs: 20 })).rejects.toThrow(FlushTimeoutError);
    await waitUntil(
      async () => meter.stats(),
      ({ failures }) => failures > 0,
    );
    const { pending, spoolBytes, oldestPendingAt, lastError } = meter.stats();
    expect({ pending, lastError }).toEqual({
      pending: 5,
      lastError: expect.stringMatching(/^No answer: .*ECONNREFUSED/),
    });
    expect(spoolBytes).toBeGreaterThan(100);
    expect(Math.abs(Number(oldestPendingAt) - Date.now())).toBeLessThan(60_000);
    expect(await meter.close({ timeoutMs: 20 })).toEqual({ pending: 5 });
    expect(() => meter.track(event(6))).toThrow(MeterClosedError);
    await fixture.service.start();
    const next = await fixture.open();
    expect(next.stats()).toMatchObject({ tracked: 0 });
    await next.flush(PATIENT);
    expect(next.stats()).toMatchObject({ tracked: 0, accepted: 5, pending: 0 });
    expect(storedIds(fixture)).toEqual(ids(5));
  });

  test('flush waits for what was tracked before it, not for what comes after', async () => {
    const meter = await fixture.open({ lingerMs: 3_600_000 });
    trackAll(meter, 5);
    let late = false;
    fixture.service.instead = async ({ lines }) => {
      if (lines.some((line) => line.includes('"e-9"'))) late = true;
      return late ? 'hang' : undefined;
    };
    const flushed = meter.flush(PATIENT);
    meter.track(event(9));
    await flushed;
    expect(storedIds(fixture)).toEqual(ids(5));
  });

  test('flush of nothing is done at once; close twice is one', async () => {
    const meter = await fixture.open();
    await meter.flush({ timeoutMs: 0 });
    expect(await Promise.all([meter.close(), meter.close()])).toEqual([{ pending: 0 }, { pending: 0 }]);
  });
});

describe('room', () => {
  test('above maxSpoolBytes nothing is taken, until what is there has been sent', async () => {
    await fixture.service.stop();
    const meter = await fixture.open({ maxSpoolBytes: 10_000 });
    let taken = 0;
    expect(() => {
      for (; taken < 1_000; taken++) meter.track(event(taken));
    }).toThrow(SpoolFullError);
    expect(meter.stats()).toMatchObject({ tracked: taken, pending: taken });
    expect(meter.stats().spoolBytes).toBeLessThanOrEqual(10_000);
    await fixture.service.start();
    await meter.flush(PATIENT);
    meter.track(event(taken));
    await meter.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(taken + 1).sort());
  });

  test('what it can write nothing of rejected events into, it keeps', async () => {
    const path = join(fixture.spoolDir, 'rejected.ndjson', 'in-the-way');
    mkdirSync(path, { recursive: true });
    const meter = await fixture.open();
    meter.track(tooFarAhead(1));
    await waitUntil(
      async () => meter.stats(),
      ({ failures }) => failures > 1,
    );
    expect(meter.stats()).toMatchObject({ pending: 1, rejected: 0, lastError: expect.stringContaining('EISDIR') });
    rmSync(join(fixture.spoolDir, 'rejected.ndjson'), { recursive: true });
    await meter.flush(PATIENT);
    expect(meter.stats()).toMatchObject({ pending: 0, rejected: 1 });
    expect(rejectedLines(fixture).length).toBe(1);
  });
});

describe('what was left', () => {
  /** A meter that has gone with these events in its spool. */
  async function left(count: number): Promise<string> {
    await fixture.service.stop();
    const meter = await fixture.open();
    trackAll(meter, count);
    await meter.close({ timeoutMs: 0 });
    await fixture.service.start();
    const [path = '', ...others] = spoolFiles(fixture);
    expect(others).toEqual([]);
    return path;
  }

  test('a last line that was torn off is nobody’s event', async () => {
    const path = await left(3);
    appendFileSync(path, '{"event_name":"call","custom');
    const meter = await fixture.open();
    await meter.flush(PATIENT);
    expect(meter.stats()).toMatchObject({ accepted: 3, rejected: 0, pending: 0 });
    expect(spoolFiles(fixture)).toEqual([]);
  });

  test('what a power cut has made of a file stops nothing: lines that are none are kept as rejected', async () => {
    const path = await left(2);
    appendFileSync(path, `${'\0'.repeat(50)}\n\n  \n{"torn": \n{"event_name":}\n`);
    const heard: unknown[] = [];
    const meter = await fixture.open({ onReject: (event) => void heard.push(event) });
    await meter.flush(PATIENT);
    expect(heard).toEqual([]);
    expect(storedIds(fixture)).toEqual(ids(2));
    expect(meter.stats()).toMatchObject({ accepted: 2, rejected: 5, pending: 0 });
    expect(rejectedLines(fixture).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['', '{"torn":', '{"event_name":}', '\0'.repeat(50)]),
    );
  });

  test('a folder whose path is too long for a socket does as well', async () => {
    const spoolDir = join(fixture.spoolDir, 'x'.repeat(200));
    await fixture.service.stop();
    const [one, other] = [await fixture.open({ spoolDir }), await fixture.open({ spoolDir })];
    trackAll(one, 3);
    expect(other.stats()).toMatchObject({ pending: 0 });
    await one.close({ timeoutMs: 0 });
    await fixture.service.start();
    const next = await fixture.open({ spoolDir });
    expect(next.stats()).toMatchObject({ pending: 3 });
    await next.flush(PATIENT);
    expect(storedIds(fixture)).toEqual(ids(3));
  });

  test('a file of no whole line is cleared away', async () => {
    const path = await left(1);
    writeFileSync(path, '{"torn');
    const meter = await fixture.open();
    expect(meter.stats()).toMatchObject({ pending: 0, spoolBytes: 0 });
    expect(existsSync(path)).toBe(false);
    expect(spoolFiles(fixture)).toEqual([]);
  });
});

test.each([-1, 1])('a clock that jumps by years changes the times of events, nothing else', async (sign) => {
  const meter = await fixture.open();
  const now = Date.now();
  meter.track(event(1));
  vi.spyOn(Date, 'now').mockImplementation(() => now + sign * 10 * 365 * 86_400_000);
  meter.track(event(2, { time_created: '2026-11-20T00:00:00Z' }));
  await meter.flush(PATIENT);
  fixture.service.instead = () => ({ status: 503, headers: { 'Retry-After': '0' } });
  meter.track(event(3, { time_created: '2026-11-20T00:00:00Z' }));
  await waitUntil(
    async () => meter.stats(),
    ({ failures }) => failures > 1,
  );
  vi.restoreAllMocks();
  fixture.service.instead = () => undefined;
  await meter.flush(PATIENT);
  expect(meter.stats()).toMatchObject({ accepted: 3, pending: 0 });
  expect(spoolFiles(fixture)).toEqual([]);
});
