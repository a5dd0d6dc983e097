import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stack } from '../local/start-stack.ts';
import { howMany } from './how-many.ts';
import { asInProduction, testInside } from './outbound/inside.ts';
import type { NameServer } from './outbound/name-server.ts';
import { itemsOf, type Json } from './stack/api.ts';
import type { Victim } from './stack/kills.ts';
import { startOwnStack } from './stack/own-stack.ts';
import { openCredits } from './stack/under-kills/credits.ts';
import { EVENTS, openEvents } from './stack/under-kills/events.ts';
import { openHeldUsage } from './stack/under-kills/held-usage.ts';
import { type Killer, startKiller } from './stack/under-kills/killer.ts';
import { CHILDREN, openPayer, sectionsOfPeriods } from './stack/under-kills/payer.ts';
import { openPhases } from './stack/under-kills/phases.ts';
import { openRush } from './stack/under-kills/rush.ts';
import { openYear } from './workflows/temporal-kill.ts';

let stack: Stack;
let names: NameServer;
let killer: Killer;

/** One for all that needs nothing but a stack on which nobody else works; in the end for what kills its processes. */
beforeAll(async () => {
  const production = await asInProduction();
  names = production.names;
  stack = await startOwnStack(production.environment);
});
afterAll(async () => {
  await stack?.stop();
  names?.stop();
});

describe('webhooks to the inside', () => testInside(() => ({ stack, names })));

/** Customers with ten subscriptions each: RUSH_CUSTOMERS=20 is what somebody measures, and kills the worker four times. */
const RUSH_CUSTOMERS = Number(process.env.RUSH_CUSTOMERS ?? 3);
/** Events of held usage in a month. */
const HELD = howMany(240, 1_200);

async function openScenes() {
  const [events, credits, payer, phases, held, year, rush] = await Promise.all([
    openEvents(stack),
    openCredits(stack),
    openPayer(stack),
    openPhases(stack),
    openHeldUsage(stack, { events: HELD, customers: 4 }),
    openYear(stack),
    openRush(stack, RUSH_CUSTOMERS),
  ]);
  return { events, credits, payer, phases, held, year, rush };
}

type Scenes = Awaited<ReturnType<typeof openScenes>>;

/** All that closes periods, or is asked to. */
const CLOSERS = ['worker', 'temporal', 'api'] as const;
/** Once closings have gone on. */
const LATER: Victim[] = ['worker', ...(['api', 'temporal', 'worker'] as const).slice(0, howMany(0, 3))];
if (RUSH_CUSTOMERS >= 20) LATER.push('worker', 'worker');

const inAnyOrder = (victims: readonly Victim[]) =>
  fc.shuffledSubarray([...victims], { minLength: victims.length, maxLength: victims.length });
const MOMENTS = 16;
/** In which order they die, and when: drawn by a seed, so that a failure is seen again under its own. */
const DRAWN = fc.record({
  closers: inAnyOrder(CLOSERS),
  later: inAnyOrder(LATER),
  moments: fc.array(fc.nat(250), { minLength: MOMENTS, maxLength: MOMENTS }),
});

type Drawn = { closers: Victim[]; later: Victim[]; pause: () => Promise<unknown> };

function draw(): Drawn {
  const [drawn] = fc.sample(DRAWN, 1);
  if (!drawn) throw new Error('nothing was drawn');
  let next = 0;
  return { ...drawn, pause: () => sleep(drawn.moments[next++ % MOMENTS]) };
}

/** SIGTERM of each process while events come in, calls write and a month is closed, and kill -9 of the edge. */
async function stopWhileEventsComeIn({ events, credits, held }: Scenes, { pause }: Drawn): Promise<void> {
  const holding = killer.meeting('held', held.hold());
  const writing = killer.meeting('credits', credits.writeOn());
  const killing = [pause().then(() => killer.kill('worker', 'SIGTERM'))];
  const shares: [number, () => Promise<void>][] = [
    [0.2, () => killer.kill('aggregator', 'SIGTERM')],
    [0.4, () => killer.kill('ingest', 'SIGTERM')],
    [0.6, () => credits.midCall().then(() => killer.kill('api', 'SIGTERM'))],
    [0.8, () => killer.kill('ingest')],
  ];
  const sending = events.sendMost((accepted) => {
    if (shares[0] && accepted >= shares[0][0]) killing.push(shares.shift()?.[1]() ?? Promise.resolve());
  });
  await killer.meeting('events', sending);
  await Promise.all([...killing, holding]);
  credits.stop();
  await writing;
}

/** How long before it falls due everything is told so. */
const TOLD_MS = 1_500;

/** kill -9 of everything while the periods of all scenes are closed at once, and again when some are. */
async function killWhileAllIsClosed({ events, payer, phases, held, year, rush }: Scenes, drawn: Drawn) {
  const { closers, later, pause } = drawn;
  const dueAt = Date.now() + TOLD_MS;
  const dueIn = (ms: number) => sleep(Math.max(0, dueAt + ms - Date.now()));
  await Promise.all([rush.dueAt(dueAt), payer.dueAt(dueAt)]);

  await dueIn(-500);
  let cut: Promise<void> | undefined;
  const sending = events.sendLast((accepted) => {
    if (accepted > 0.5) cut ??= killer.kill('aggregator');
  });
  const eventsBilled = killer.meeting('events', sending.then(events.close));
  const rushed = killer.meeting('rush', rush.close());
  await dueIn(-100);
  const payerBilled = killer.meeting('payer', payer.change().then(payer.invoices));
  const phasesEnd = killer.meeting('phases', phases.close());
  const yearEnds = killer.meeting('year', year.close());
  const priced = Promise.withResolvers<void>();
  const heldBilled = killer.meeting('held', priced.promise.then(held.bill));

  for (const victim of closers) {
    await pause();
    if (victim === 'api') held.addRows().then(priced.resolve, priced.reject);
    await killer.kill(victim);
  }
  await rush.progress();
  await killer.kill('postgres');
  await priced.promise;
  for (const victim of later) {
    await pause();
    await killer.kill(victim);
  }
  await Promise.all([cut, eventsBilled, phasesEnd, heldBilled]);
  return { issued: await payerBilled, clock: await yearEnds, rushed: await rushed };
}

/** The scenes go on at the same time, and share the kills. */
describe(`whatever dies; FC_SEED=${fc.readConfigureGlobal()?.seed}`, () => {
  let scenes: Scenes;
  let closed: Awaited<ReturnType<typeof killWhileAllIsClosed>>;

  beforeAll(async () => {
    killer = startKiller(stack);
    scenes = await openScenes();
    const drawn = draw();
    await stopWhileEventsComeIn(scenes, drawn);
    closed = await killWhileAllIsClosed(scenes, drawn);
  }, 600_000);
  afterAll(() => scenes?.rush.end());

  const killsOf = (signal: 'SIGKILL' | 'SIGTERM', ...victims: Victim[]) => victims.map((one) => `${signal} ${one}`);
  const expectMet = (scene: string, ...kills: string[]) =>
    expect(killer.met(scene)).toEqual(expect.arrayContaining(kills));

  test('events with repeats are billed exactly', async () => {
    expectMet('events', ...killsOf('SIGTERM', 'aggregator', 'ingest'));
    expectMet('events', ...killsOf('SIGKILL', 'ingest', 'aggregator', 'worker', 'api', 'temporal'));
    const [second, first, ...more] = await scenes.events.invoices();
    expect(more).toEqual([]);
    const [sum, max] = [(EVENTS / 1_000) * 49_950, (EVENTS - 1) / 10];
    expect(quantities(first)).toEqual(['1', `${EVENTS}`, `${sum}`, `${max}`, '250']);
    // Of 3,000: 10 + 3,000 * 0.001 + 149,850 * 0.01 + 299.9 * 0 + 250 * 2 = 2,011.5
    const subtotal = (10_000 + EVENTS + sum * 10 + 500_000) / 1_000;
    expect(first).toMatchObject({ subtotal: `${subtotal}`, invoice_number: 'INV-000001' });
    expect(quantities(second)).toEqual(['1', '0', '0', '0', '0']);
    expect(second).toMatchObject({ subtotal: '10', invoice_number: 'INV-000002' });
  });

  /** As every deployment stops it: who was answered was served, and who was not may ask again. */
  test('a stop of every process under load loses nothing and breaks nothing', async () => {
    expectMet('credits', ...killsOf('SIGTERM', 'ingest', 'api', 'aggregator', 'worker'));
    const { count, written, statuses } = await scenes.credits.found();
    expect(count).toBe(written);
    // A call that cannot be answered is 503, or meets no server: never 500. 409: the first try still runs.
    expect(statuses.filter((status) => ![201, 409, 503].includes(status))).toEqual([]);
  });

  test('a payer of many is invoiced for each subscription once', () => {
    expectMet('payer', ...killsOf('SIGKILL', 'worker', 'api', 'temporal'));
    const { issued } = closed;
    expect(sectionsOfPeriods(issued).toSorted()).toEqual(scenes.payer.ids.toSorted());
    const large = issued
      .filter(({ customer_id }) => String(customer_id) === 'payer')
      .map((one) => itemsOf(one.sections).length);
    expect(Math.max(...large)).toBeGreaterThanOrEqual(CHILDREN - 4);
    const numbers = issued.map((one) => Number(String(one.invoice_number).slice(4)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1));
  });

  test('phases begin once', async () => {
    expectMet('phases', ...killsOf('SIGKILL', 'worker', 'api', 'temporal'));
    const { ids, plans } = scenes.phases;
    for (const [n, { held, amounts }] of (await scenes.phases.found()).entries()) {
      expect(held.map(({ status, plan_id }) => [status, plan_id])).toEqual([
        ['active', plans[1]],
        ['canceled', plans[0]],
      ]);
      expect(held[1]).toMatchObject({ subscription_id: ids[n], replaced_by: held[0]?.subscription_id });
      // From May on 120; 31 more for 17 of May's 31 days.
      expect(amounts).toEqual([[100], [100], [120, 17], [151]]);
    }
  });

  /** Killed between the closing that held, the rows that price it, and the invoices that bill it. */
  test('held usage is billed once when its rows come', async () => {
    expectMet('held', 'SIGTERM worker', ...killsOf('SIGKILL', 'api', 'worker'));
    const { counts, left } = await scenes.held.found();
    // A quarter has a price from the start.
    const [all, held] = [2 * HELD, (3 * HELD) / 4];
    expect(counts).toEqual({ events: all, held, billed: all, late: held, twice: 0, never: 0 });
    expect(left).toBe(0);
  });

  test('a year goes on by itself, each period billed once', async () => {
    expectMet('year', ...killsOf('SIGKILL', 'temporal', 'worker'));
    expect(closed.clock).toMatchObject({ status: 'ready', frozen_time: scenes.year.goal });
    for (const starts of await scenes.year.starts()) {
      expect(starts).toHaveLength(12);
      expect(starts).toEqual([...new Set(starts)].toSorted());
    }
  });

  /** In real time, while very many closings of an account take its numbers, and calls do (docs/first-of-month.md). */
  test('a rush is invoiced once, in order', () => {
    expectMet('rush', ...killsOf('SIGKILL', 'worker', 'temporal', 'api', 'postgres'));
    const { due } = scenes.rush;
    const { opened, billed, numbers, outOfOrder, saidOtherwise, placeholders, totals } = closed.rushed;
    expect(new Set(billed).size).toBe(due);
    expect(billed).toHaveLength(due);
    // In the order of lists, and at every moment none is there without all before it.
    expect(numbers).toEqual(Array.from({ length: due + opened }, (_, i) => `INV-${String(i + 1).padStart(6, '0')}`));
    expect(outOfOrder).toEqual([]);
    expect(saidOtherwise).toEqual([]);
    expect(placeholders).toEqual([]);
    // 29 and 0.01 for one call or for each of five tokens.
    expect(totals).toEqual(['29.01', '29.05'].flatMap((total) => Array(due / 2).fill(total)));
  });
});

function quantities(invoice: Json | undefined) {
  return (invoice ? itemsOf(invoice.lines) : []).map((line) => line.quantity);
}
