import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { howMany } from '../how-many.ts';
import { killChild } from '../stack/kill-child.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { ended, isThrough, killedMeterFixture } from './killed-meter-fixture.ts';
import { PATIENT } from './meter-fixture.ts';

/** An app dies where its meter does something, each time in a folder of its own. */

describe.concurrent('processes that share a folder', () => {
  // First, since it waits for a quarter of a minute, in which the others are done.
  test('a running one sends it within 30 s', async (context) => {
    const { service, start, openMeter, assertAllStored } = await killedMeterFixture(context);
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

  test('the next to open takes what a dead one has left, not what a living one has', async (context) => {
    const { service, start, openMeter, spooled, sendRest, assertAllStored } = await killedMeterFixture(context);
    service.instead = () => ({ status: 503 });
    const [living, dead] = [start({ name: 'living' }), start({ name: 'dead' })];
    await Promise.all([isThrough(living), isThrough(dead)]);
    await killChild(dead.child);
    const meter = await openMeter();
    expect(meter.stats()).toMatchObject({ tracked: 0, pending: 20 });
    service.instead = () => undefined;
    await meter.flush(PATIENT);
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

  test('a stopped one lives: nobody takes what is its own', async (context) => {
    const { service, start, openMeter } = await killedMeterFixture(context);
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

  test('what a dead one had taken over from another dead one is taken over with it', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    await service.stop();
    expect(await ended(start({ name: 'first', die: 'after the append' }))).toBe('SIGKILL');
    expect(await ended(start({ name: 'second', die: 'after the append' }))).toBe('SIGKILL');
    expect(await ended(start({ name: 'third', die: 'after the append' }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(60);
  });

  test('several that open at once take each dead one’s once', async (context) => {
    const { service, start, openMeter, assertAllStored } = await killedMeterFixture(context);
    await service.stop();
    for (const name of ['a', 'b', 'c']) await ended(start({ name, die: 'after the append' }));
    await service.start();
    const opened = await Promise.all([openMeter(), openMeter(), openMeter()]);
    await Promise.all(opened.map((meter) => meter.flush(PATIENT)));
    await Promise.all(opened.map((meter) => meter.close()));
    expect(assertAllStored()).toBe(60);
    expect([...service.stored.values()].every((times) => times === 1)).toBe(true);
  });
});

describe.concurrent('killed -9, nothing that track has returned is lost', () => {
  test('after the append', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    await service.stop();
    expect(await ended(start({ die: 'after the append' }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(20);
  });

  test('in the append: the torn line is nobody’s', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    await service.stop();
    expect(await ended(start({ die: 'in the append' }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(19);
    expect(service.stored.size).toBe(19);
  });

  test('after the send, before its answer', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
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

  test('after the answer, before the removal', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    expect(await ended(start({ die: 'before the removal' }))).toBe('SIGKILL');
    expect(service.stored.size).toBeGreaterThan(0);
    await sendRest();
    expect(assertAllStored()).toBe(20);
  });

  test.for(['before the roll', 'after the roll'] as const)('%s', async (die, context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    await service.stop();
    expect(await ended(start({ die, count: 1_000 }))).toBe('SIGKILL');
    await service.start();
    await sendRest();
    // A MiB of 4 KB each.
    expect(assertAllStored()).toBeGreaterThan(250);
  });

  test('at any moment, again and again, while answers fail and are lost', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    let n = 0;
    service.instead = () => {
      n += 1;
      if (n % 5 === 0) return 'lost';
      return n % 3 === 0 ? { status: 503 } : undefined;
    };
    const rounds = howMany(3, 6);
    for (let round = 0; round < rounds; round++) {
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
    expect(assertAllStored(rounds)).toBeGreaterThan(1_000);
  });
});

/** The kernel refuses what makes a file larger than `ulimit -f`, in the middle of a line, as a disk does that is full. */
test.concurrent('a full disk: nothing is taken until there is room, and what was taken is sent', async (context) => {
  const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
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

describe.concurrent('the process', () => {
  test.for(['away', 'there'])(
    'ends by itself with events in its spool, the service being %s: no timer keeps it',
    async (where, context) => {
      const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
      if (where === 'away') await service.stop();
      const app = start({ die: 'end' });
      expect(await ended(app)).toBe(0);
      if (where === 'away') await service.start();
      await sendRest();
      expect(assertAllStored()).toBe(20);
    },
  );

  test('lives while it waits for close', async (context) => {
    const { service, start, sendRest, assertAllStored } = await killedMeterFixture(context);
    await service.stop();
    const app = start({ die: 'close' });
    expect(await ended(app)).toBe(0);
    expect(app.output()).toBe('{"pending":20}\n');
    await service.start();
    await sendRest();
    expect(assertAllStored()).toBe(20);
  });
});
