import { expect, test } from 'vitest';
import { compareDraft, textOf } from '../../billing/gate/compare.ts';
import { KNOWN_DIFFERENCES } from '../../billing/gate/known-differences.ts';
import { randomLife } from '../../billing/gate/random-life.ts';
import { CorePlayer } from '../../billing/lives/core-player.ts';
import type { Bill, Life } from '../../billing/lives/life.ts';
import { Dice } from '../../billing/simulator/dice.ts';
import { howMany } from '../../how-many.ts';
import { playerOnStack } from './stack-player.ts';
import { newStage } from './stage.ts';

/**
 * The gate of drafts (`test/billing/gate`) through the API. The lives that are lived in memory, too, are drafted and invoiced alike there
 * and here, so that the copies of the services can be trusted; others have what the copies lack. `LIVES` and `SEED` lead to more.
 */
const LIVES = Number(process.env.LIVES ?? howMany(2, 40));
const FIRST = Number(process.env.SEED ?? 20_261_128);
const WATCHED_DAYS = 95;

async function begun(life: Life) {
  const player = await playerOnStack(await newStage('calls', 'jobs'), life);
  const isDone: boolean[] = [];
  for (const step of life.steps) isDone.push(await player.perform(step));
  return { player, isDone };
}

const texts = (bills: Bill[]) => bills.map(textOf);
const lastDay = ({ steps }: Life) => steps.at(-1)?.at ?? 0;

test(`${LIVES} random lives are drafted and invoiced as in memory`, { timeout: 60_000 + LIVES * 40_000 }, async () => {
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
    const life = randomLife(seed);
    const about = `life ${seed}: ${JSON.stringify(life)}`;
    const { player, isDone } = await begun(life);
    const core = new CorePlayer(life);
    expect(
      life.steps.map((step) => core.perform(step)),
      about,
    ).toEqual(isDone);
    const ofPayers = core.payers();
    for (const id of ofPayers) expect(texts(await player.draft(id)), about).toEqual(texts(core.draft(id)));
    const end = lastDay(life) + WATCHED_DAYS;
    await player.passTime(end);
    core.passTime(end);
    for (const id of ofPayers) expect(texts(await player.issued(id)), about).toEqual(texts(core.issued(id)));
  }
});

test(`${LIVES} lives with a grace, changed units and second subscriptions are invoiced as they were drafted`, {
  timeout: 60_000 + LIVES * 40_000,
}, async () => {
  for (let seed = FIRST, left = LIVES; left > 0; seed++) {
    const plain = withSecond(randomLife(seed), seed);
    if (compareDraft(plain, KNOWN_DIFFERENCES).covered.length > 0) continue;
    left--;
    const life = withRest(plain, seed);
    const { player } = await begun(life);
    const payers = life.customers.filter(({ billedTo }) => billedTo === undefined).map(({ id }) => id);
    const drafts = new Map<string, { drafted: Bill[]; before: number }>();
    for (const id of payers)
      drafts.set(id, { drafted: await player.draft(id), before: (await player.issued(id)).length });
    await player.passTime(lastDay(life) + WATCHED_DAYS);
    for (const [id, { drafted, before }] of drafts) {
      const issued = (await player.issued(id)).slice(before);
      // Until the first boundary nothing that is invoiced has passed one.
      const end = issued.find(({ kind, lines }) => kind !== 'proration' && lines.length > 0)?.date ?? '';
      const shown = (bills: Bill[]) => texts(bills.filter(({ date }) => date <= end));
      expect(shown(drafted), `life ${seed}: ${JSON.stringify(life)}`).toEqual(shown(issued));
    }
  }
});

const EXAMPLES = KNOWN_DIFFERENCES.flatMap(({ examples }) => examples);

test.each(EXAMPLES.slice(0, howMany(1, EXAMPLES.length)))('$title: differs through the API, too', async (example) => {
  const { life } = example;
  const { player } = await begun(life);
  const customer = life.customers[0]?.id ?? '';
  const before = (await player.issued(customer)).length;
  const drafted = texts(await player.draft(customer));
  await player.passTime(lastDay(life) + WATCHED_DAYS);
  const issued = texts(await player.issued(customer)).slice(before);
  const { length } = example.issued;
  // Behind these a subscription that has passed its boundary is invoiced again.
  expect({ drafted, issued: issued.slice(0, length) }).toEqual({ drafted: example.drafted, issued: example.issued });
});

/** Some customers have a second subscription, which the steps behind its creation are about: what waits is shared by both. */
function withSecond(life: Life, seed: number): Life {
  const dice = new Dice(seed ^ 0x2d);
  if (dice.chance(0.6)) return life;
  const second = { at: dice.int(1, 30), customer: 'a', do: 'subscribe' as const, plan: `plan${dice.int(0, 2)}` };
  return { ...life, steps: [...life.steps, second].toSorted((a, b) => a.at - b.at) };
}

/** Adds what the copies of the services lack: a grace, and units that change. */
function withRest(life: Life, seed: number): Life {
  const dice = new Dice(seed ^ 0x5eed);
  const units = Array.from({ length: 2 }, () => ({
    ...{ at: dice.int(1, lastDay(life)), customer: 'a', do: 'units' as const, metric: 'calls' },
    ...{ units: String(dice.int(0, 60)), invoicing: dice.pick(['now', 'next'] as const) },
  }));
  const components = [{ metric: 'calls', price: '1', prepaid: '20' }];
  const plans = Object.entries(life.plans).map(([name, plan]) => [name, { ...plan, components }]);
  const steps = [...life.steps, ...units].toSorted((a, b) => a.at - b.at);
  const graceDays = dice.pick([0, 3, 10]);
  return { ...life, plans: Object.fromEntries(plans), steps, ...(graceDays > 0 && { graceDays }) };
}
