import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, type TestContext, vi } from 'vitest';
import { Meter, type MeterOptions, type UsageEvent } from '../../sdk/typescript/source/meter/meter.ts';
import { type BatchReceiver, startBatchReceiver } from './batch-receiver.ts';

/** A folder and a receiver of batches for each test of a file, and meters on them, which end with it. */
export type MeterFixture = {
  service: BatchReceiver;
  spoolDir: string;
  open(options?: Partial<MeterOptions>): Promise<Meter>;
};

/** To be called once in a file; what it answers is filled before each test. */
export function meterFixture(): MeterFixture {
  const fixture = {} as MeterFixture;
  beforeEach(async (context) => void Object.assign(fixture, await ownMeterFixture(context)));
  return fixture;
}

/** Of a test that runs beside others. */
export async function ownMeterFixture({ onTestFinished }: TestContext): Promise<MeterFixture> {
  const meters: Meter[] = [];
  const service = await startBatchReceiver();
  const spoolDir = mkdtempSync(join(tmpdir(), 'mb-spool-'));
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await Promise.all(meters.map((meter) => meter.close({ timeoutMs: 0 })));
    await service.stop();
    rmSync(spoolDir, { recursive: true });
  });
  const open = async (options: Partial<MeterOptions> = {}) => {
    const meter = await Meter.open({ baseUrl: service.url, apiKey: 'key', spoolDir, lingerMs: 5, ...options });
    meters.push(meter);
    return meter;
  };
  return { service, spoolDir, open };
}

/** For `flush`: only ends what hangs. A busy machine takes long for a request, too. */
export const PATIENT = { timeoutMs: 120_000 };

/** `e-<n>`. */
export const event = (n: number, more: Partial<UsageEvent> = {}): UsageEvent => ({
  event_name: 'call',
  customer_id: 'acme',
  idempotency_id: `e-${n}`,
  properties: { n },
  ...more,
});

/** In live mode the service refuses it, for which it needs its clock. */
export const tooFarAhead = (n: number) => event(n, { time_created: '2200-01-01T00:00:00Z' });
export const AHEAD = { time_created: ['Must not be more than 24 hours ahead.'] };

export const trackAll = (meter: Meter, count: number, from = 0) => {
  for (let n = from; n < from + count; n++) meter.track(event(n));
};
export const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `e-${from + n}`);
export const storedIds = ({ service }: MeterFixture) => [...service.stored.keys()].sort();
export const rejectedLines = ({ spoolDir }: MeterFixture) =>
  readFileSync(join(spoolDir, 'rejected.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
/** Files with events, of all meters. */
export const spoolFiles = ({ spoolDir }: MeterFixture) =>
  readdirSync(spoolDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /-\d{8}\.ndjson$/.test(name))
    .map((name) => join(spoolDir, name));
