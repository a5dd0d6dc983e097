import { openSync, writeSync } from 'node:fs';
import type { Meter as MeterClass } from '../../sdk/typescript/source/meter/meter.ts';
import { loadProperties } from '../track-load.ts';

/** What an app is to do with a meter: its calls beside a plain loop, or as many events as it can send. */
export type AppTask = {
  /** Of the compiled SDK. */
  meterModule: string;
  baseUrl: string;
  apiKey: string;
  spoolDir: string;
  /** Where the plain loop writes its lines; without it there is none. */
  baselineFile?: string;
  events: number;
  /** How long it waits for the last answer; what is left then stays. */
  closeMs: number;
};

/** Milliseconds of all calls and of the plain loop, and microseconds that 50, 99 and 99.9 % of the calls took at most. */
export type AppResult = {
  callsMs: number;
  baselineMs: number;
  wallMs: number;
  /** Processor time for an event, of the app's own work too. */
  cpuUs: number;
  p50: number;
  p99: number;
  p999: number;
  mostPending: number;
  pending: number;
  accepted: number;
  failures: number;
};

/** Calls between two turns of the event loop: as of an app that answers requests. */
const CALLS_PER_TURN = 100;
/** An id and a time as those that the meter makes, so that the lines of the plain loop are as long. */
const MADE = { idempotency_id: 'b66b4ad9-5c60-4f0a-8d8e-0123456789ab', time_created: '2026-11-20T10:00:00.123Z' };

const task = JSON.parse(process.argv[2] ?? '') as AppTask;
const { Meter } = (await import(task.meterModule)) as { Meter: typeof MeterClass };
const { baseUrl, apiKey, spoolDir } = task;
const meter = await Meter.open({ baseUrl, apiKey, spoolDir, maxSpoolBytes: 2 ** 30 });
const baseline = task.baselineFile === undefined ? undefined : openSync(task.baselineFile, 'a');

function eventOf(i: number) {
  return { event_name: 'api_call', customer_id: `customer-${i % 1_000}`, properties: loadProperties(i) };
}

function writePlainly(file: number, from: number): number {
  const events = Array.from({ length: CALLS_PER_TURN }, (_, k) => ({ ...eventOf(from + k), ...MADE }));
  const begun = performance.now();
  for (const event of events) writeSync(file, `${JSON.stringify(event)}\n`);
  return performance.now() - begun;
}

const calls = new Float32Array(task.events);
const cpuBefore = process.cpuUsage();
const begun = performance.now();
let [callsMs, baselineMs, mostPending] = [0, 0, 0];
for (let from = 0; from < task.events; from += CALLS_PER_TURN) {
  // In turn, so that whatever else the machine does slows both.
  if (baseline !== undefined) baselineMs += writePlainly(baseline, from);
  const events = Array.from({ length: Math.min(CALLS_PER_TURN, task.events - from) }, (_, k) => eventOf(from + k));
  for (const [k, event] of events.entries()) {
    const called = performance.now();
    meter.track(event);
    const took = performance.now() - called;
    calls[from + k] = took;
    callsMs += took;
  }
  mostPending = Math.max(mostPending, meter.stats().pending);
  await new Promise((resolve) => setImmediate(resolve));
}
const wallMs = performance.now() - begun;
const { pending } = await meter.close({ timeoutMs: task.closeMs });
const cpu = process.cpuUsage(cpuBefore);
const { accepted, failures } = meter.stats();
calls.sort();
const microseconds = (share: number) => (calls[Math.floor(task.events * share)] ?? 0) * 1_000;
const result: AppResult = {
  callsMs,
  baselineMs,
  wallMs,
  cpuUs: (cpu.user + cpu.system) / Math.max(1, task.events),
  p50: microseconds(0.5),
  p99: microseconds(0.99),
  p999: microseconds(0.999),
  mostPending,
  pending,
  accepted,
  failures,
};
process.send?.(result);
