import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Meter } from '../../sdk/typescript/source/meter/meter.ts';
import { killChild } from '../stack/kill-child.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { type BatchReceiver, startBatchReceiver } from './batch-receiver.ts';
import type { App } from './meter-app.ts';

let service: BatchReceiver;
let folder: string;
let spoolDir: string;
const children: ChildProcess[] = [];
const meters: Meter[] = [];

beforeEach(async () => {
  service = await startBatchReceiver();
  folder = mkdtempSync(join(tmpdir(), 'mb-kill-'));
  spoolDir = join(folder, 'spool');
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => killChild(child)));
  await Promise.all(meters.splice(0).map((meter) => meter.close({ timeoutMs: 0 })));
  await service.stop();
  rmSync(folder, { recursive: true });
});

type Running = { child: ChildProcess; output(): string };

/** `limit`: KiB that a file of it may have. */
function start(app: Partial<App>, limit?: number): Running {
  const log = join(folder, 'returned');
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

const ended = async ({ child }: Running) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
};
const isThrough = (app: Running) =>
  waitUntil(
    async () => app.output(),
    (output) => output.includes('tracked'),
  );

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
  await meter.flush();
  await meter.close();
}

/** Every id that `track` has returned is stored; and none else, but at most the one that an app died over. */
function assertAllStored(apps = 1) {
  const returned = new Set(readFileSync(join(folder, 'returned'), 'utf8').trim().split('\n'));
  expect([...returned].filter((id) => !service.stored.has(id))).toEqual([]);
  const others = [...service.stored.keys()].filter((id) => !returned.has(id));
  expect(others.length).toBeLessThanOrEqual(apps);
  expect(readdirSync(spoolDir)).toEqual([]);
  return returned.size;
}

describe('killed -9, nothing that track has returned is lost', () => {
  test('after the append', async () => {
    await service.stop();
    expect(await ended(start({ die: 'after the append' }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(20);
  });

  test('in the append: the torn line is nobody’s', async () => {
    await service.stop();
    expect(await ended(start({ die: 'in the append' }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(19);
    expect(service.stored.size).toBe(19);
  });

  test('after the send, before its answer', async () => {
    const app = start({});
    service.instead = () => {
      app.child.kill('SIGKILL');
      return 'lost';
    };
    expect(await ended(app)).toBe('SIGKILL');
    const already = service.stored.size;
    expect(already).toBeGreaterThan(0);
    service.instead = () => undefined;
    await sendRest();
    assertAllStored();
    // Sent again, with the same ids: the service counts them once.
    expect([...service.stored.values()].filter((times) => times === 2).length).toBe(already);
  });

  test('after the answer, before the removal', async () => {
    expect(await ended(start({ die: 'before the removal' }))).toBe('SIGKILL');
    expect(service.stored.size).toBeGreaterThan(0);
    await sendRest();
    expect(assertAllStored()).toBe(20);
  });

  test.each(['before the roll', 'after the roll'] as const)('%s', async (die) => {
    await service.stop();
    expect(await ended(start({ die, count: 1_000 }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    // A MiB of 4 KB each.
    expect(assertAllStored()).toBeGreaterThan(250);
  });

  test('at any moment, again and again, while answers fail and are lost', async () => {
    let n = 0;
    service.instead = () => {
      n += 1;
      if (n % 5 === 0) return 'lost';
      return n % 3 === 0 ? { status: 503 } : undefined;
    };
    for (let round = 0; round < 6; round++) {
      const app = start({ name: `r${round}`, count: 1_000_000 });
      const from = service.requests.length;
      await waitUntil(
        async () => service.requests.length,
        (count) => count >= from + 4 + round,
      );
      await sleep(round * 7);
      await killChild(app.child);
    }
    service.instead = () => undefined;
    await sendRest();
    expect(assertAllStored(6)).toBeGreaterThan(1_000);
  });
});

describe('processes that share a folder', () => {
  test('the next to open takes what a dead one has left, not what a living one has', async () => {
    service.instead = () => ({ status: 503 });
    const [living, dead] = [start({ name: 'living' }), start({ name: 'dead' })];
    await Promise.all([isThrough(living), isThrough(dead)]);
    await killChild(dead.child);
    const meter = await openMeter();
    expect(meter.stats()).toMatchObject({ tracked: 0, pending: 20 });
    service.instead = () => undefined;
    await meter.flush();
    expect([...service.stored.keys()].filter((id) => id.startsWith('dead')).length).toBe(20);
    // Until the living one has its answers, too: what it is killed over is sent again.
    await waitUntil(
      async () => spooled(),
      (files) => service.stored.size === 40 && files.length === 0,
    );
    await killChild(living.child);
    await meter.close();
    await sendRest();
    expect(assertAllStored()).toBe(40);
    expect([...service.stored.values()].every((times) => times === 1)).toBe(true);
  });

  test('a stopped one lives: nobody takes what is its own', async () => {
    service.instead = () => ({ status: 503 });
    const app = start({});
    await isThrough(app);
    app.child.kill('SIGSTOP');
    const meter = await openMeter();
    expect(meter.stats()).toMatchObject({ pending: 0 });
    app.child.kill('SIGCONT');
    service.instead = () => undefined;
    await waitUntil(
      async () => service.stored.size,
      (size) => size === 20,
    );
  });

  test('a running one sends it within 30 s', async () => {
    service.instead = ({ lines }) => (lines.some((line) => line.includes('"dead-')) ? { status: 503 } : undefined);
    const app = start({ name: 'dead' });
    await isThrough(app);
    const meter = await openMeter();
    await killChild(app.child);
    const killed = performance.now();
    service.instead = () => undefined;
    await waitUntil(
      async () => meter.stats(),
      ({ accepted }) => accepted === 20,
    );
    expect(performance.now() - killed).toBeLessThan(30_000);
    await meter.close();
    expect(assertAllStored()).toBe(20);
  });

  test('what a dead one had taken over from another dead one is taken over with it', async () => {
    await service.stop();
    expect(await ended(start({ name: 'first', die: 'after the append' }))).toBe('SIGKILL');
    expect(await ended(start({ name: 'second', die: 'after the append' }))).toBe('SIGKILL');
    expect(await ended(start({ name: 'third', die: 'after the append' }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(60);
  });

  test('several that open at once take each dead one’s once', async () => {
    await service.stop();
    for (const name of ['a', 'b', 'c']) await ended(start({ name, die: 'after the append' }));
    await service.start();
    const opened = await Promise.all([openMeter(), openMeter(), openMeter()]);
    await Promise.all(opened.map((meter) => meter.flush()));
    await Promise.all(opened.map((meter) => meter.close()));
    expect(assertAllStored()).toBe(60);
    expect([...service.stored.values()].every((times) => times === 1)).toBe(true);
  });
});

/** The kernel refuses what makes a file larger than `ulimit -f`, in the middle of a line, as a disk does that is full. */
test('a full disk: nothing is taken until there is room, and what was taken is sent', async () => {
  service.instead = () => ({ status: 503 });
  const app = start({ count: 2_000 }, 64);
  await waitUntil(
    async () => app.output(),
    (output) => /^full after \d+: The disk is full\./.test(output),
  );
  expect(service.stored.size).toBe(0);
  service.instead = () => undefined;
  await isThrough(app);
  await waitUntil(
    async () => service.stored.size,
    (size) => size === 2_000,
  );
  await killChild(app.child);
  await sendRest();
  expect(assertAllStored()).toBe(2_000);
});

describe('the process', () => {
  test.each(['away', 'there'])(
    'ends by itself with events in its spool, the service being %s: no timer keeps it',
    async (where) => {
      if (where === 'away') await service.stop();
      const app = start({ die: 'end' });
      expect(await ended(app)).toBe(0);
      if (where === 'away') await service.start();
      await sendRest();
      expect(assertAllStored()).toBe(20);
    },
  );

  test('lives while it waits for close', async () => {
    await service.stop();
    const app = start({ die: 'close' });
    expect(await ended(app)).toBe(0);
    expect(app.output()).toBe('{"pending":20}\n');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(20);
  });
});
