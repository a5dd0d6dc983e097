import { expect } from 'vitest';
import type { Life, Outcome } from '../../billing/lives/life.ts';
import { EXAMPLES } from '../../billing/reversals/examples.ts';
import { testExample } from '../../billing/reversals/test-example.ts';
import { howMany } from '../../how-many.ts';
import { playerOnStack } from './stack-player.ts';
import { newStage } from './stage.ts';

/**
 * The worked examples of how money goes back, lived through the API: those that the copies of the services cannot perform in memory,
 * and one that they can. A thorough run performs all.
 */
const ALSO = ['january-void'];
const isThorough = howMany(0, 1) === 1;
const chosen = EXAMPLES.filter(({ id, plays }) => isThorough || plays !== undefined || ALSO.includes(id));

async function outcomeOf(life: Life): Promise<Outcome> {
  const player = await playerOnStack(await newStage('calls'), life);
  for (const step of life.steps) expect(await player.perform(step), JSON.stringify(step)).toBe(true);
  await player.passTime(life.until);
  return player.outcome();
}

for (const example of chosen) testExample(example, outcomeOf);
