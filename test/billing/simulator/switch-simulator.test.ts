import { env } from 'node:process';
import { expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import { coreSwitchLife } from './core-switch-life.ts';
import { randomSwitchLife, type SwitchLife, withMore } from './switch-life.ts';
import { modelSwitchLife } from './switch-model.ts';

/**
 * Customers switch plans, are paused and are canceled by the rules of billing/, and again day by day and event by event as
 * simply as it can be told (spec/plans#versions, spec/subscriptions#switch): the same acts are done, and the life has cost the same in the end.
 */
const LIVES = Number(env.SIMULATOR_LIVES ?? howMany(150, 1_000));
/** Fixed, so that a run is like the one before; the variable leads on to lives never lived. */
const FIRST = Number(env.SIMULATOR_SEED ?? 20_261_300);

/** What lives must have in them, together, to prove anything. */
const WANTED = ['switch', 'planned switch', 'withdraw', 'pause', 'resume', 'cancel', 'planned cancel'];

test(`${LIVES} lives that switch cost what a simple model says`, { timeout: 300_000 + LIVES * 100 }, () => {
  const seen = new Set<string>();
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
    const life = lifeOf(seed);
    const outcome = coreOutcome(seed, life);
    expect(outcome, `life ${seed}: ${JSON.stringify(life)}`).toEqual(modelOutcome(life));
    life.acts.forEach((act, i) => {
      const isPlanned = 'inDays' in act && Number(act.inDays) > 0;
      seen.add(`${isPlanned ? 'planned ' : ''}${act.do} ${outcome.done[i] ? 'done' : 'refused'}`);
    });
  }
  const missing = WANTED.flatMap((what) => [`${what} done`, `${what} refused`]).filter((what) => !seen.has(what));
  expect(missing).toEqual([]);
});

/** Every other life has more in it than those that test/workflows/subscriptions/random-lives.stack.test.ts lives on a stack. */
function lifeOf(seed: number): SwitchLife {
  const life = randomSwitchLife(seed, { acts: 12, events: 30 });
  return seed % 2 === 0 ? life : withMore(life, seed);
}

function modelOutcome(life: SwitchLife) {
  const { done, cents } = modelSwitchLife(life);
  return { done, cents: `${cents}`, taxCents: `${(cents * (life.taxRate ?? 0)) / 100}` };
}

function coreOutcome(seed: number, life: SwitchLife) {
  try {
    return coreSwitchLife(life);
  } catch (cause) {
    throw new Error(`life ${seed} broke off: ${JSON.stringify(life)}`, { cause });
  }
}
