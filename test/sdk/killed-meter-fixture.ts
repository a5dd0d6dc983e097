import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { Meter } from '../../sdk/typescript/source/meter/meter.ts';
import { killChild } from '../stack/kill-child.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { startBatchReceiver } from './batch-receiver.ts';
import type { App } from './meter-app.ts';
import { PATIENT } from './meter-fixture.ts';

export type Running = { child: ChildProcess; output(): string };

export const ended = async ({ child }: Running) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
};

export const isThrough = (app: Running) =>
  waitUntil(
    async () => app.output(),
    (output) => output.includes('tracked'),
  );

/** A receiver of batches, and a folder that apps and meters share: a test's own, with which they end. */
export async function killedMeterFixture({ onTestFinished }: TestContext) {
  const service = await startBatchReceiver();
  const folder = mkdtempSync(join(tmpdir(), 'mb-kill-'));
  const spoolDir = join(folder, 'spool');
  const log = join(folder, 'returned');
  const children: ChildProcess[] = [];
  const meters: Meter[] = [];
  onTestFinished(async () => {
    await Promise.all(children.map((child) => killChild(child)));
    await Promise.all(meters.map((meter) => meter.close({ timeoutMs: 0 })));
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  /** `limit`: KiB that a file of it may have. */
  function start(app: Partial<App>, limit?: number): Running {
    const given: App = { url: service.url, spoolDir, log, name: 'e', count: 20, die: 'never', ...app };
    const command = [process.execPath, join(import.meta.dirname, 'meter-app.ts'), JSON.stringify(given)];
    const script = `${limit ? `ulimit -f ${limit}; ` : ''}exec "$@"`;
    const child = spawn('bash', ['-c', script, 'bash', ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    children.push(child);
    return { child, output: () => output };
  }

  async function openMeter(): Promise<Meter> {
    const meter = await Meter.open({ baseUrl: service.url, apiKey: 'key', spoolDir, lingerMs: 5 });
    meters.push(meter);
    return meter;
  }

  /** Files with events that are not answered, of all meters that share the folder. */
  const spooled = () =>
    (readdirSync(spoolDir, { recursive: true }) as string[]).filter((path) => path.endsWith('.ndjson'));

  /** Sends what the dead have left. */
  async function sendRest(): Promise<void> {
    const meter = await openMeter();
    await meter.flush(PATIENT);
    await meter.close();
  }

  /** Every id that `track` has returned is stored; and none else, but at most the one that an app died over. */
  function assertAllStored(apps = 1) {
    const returned = new Set(readFileSync(log, 'utf8').trim().split('\n'));
    expect([...returned].filter((id) => !service.stored.has(id))).toEqual([]);
    const others = [...service.stored.keys()].filter((id) => !returned.has(id));
    expect(others.length).toBeLessThanOrEqual(apps);
    expect(readdirSync(spoolDir)).toEqual([]);
    return returned.size;
  }

  return { service, start, openMeter, spooled, sendRest, assertAllStored };
}
