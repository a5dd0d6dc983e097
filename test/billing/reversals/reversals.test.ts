import { expect, test } from 'vitest';
import { CorePlayer } from '../lives/core-player.ts';
import type { Life, Outcome } from '../lives/life.ts';
import { EXAMPLES } from './examples.ts';
import { testExample } from './test-example.ts';

/** The worked examples of how money goes back, each lived in memory. */
async function outcomeOf(life: Life): Promise<Outcome> {
  const player = new CorePlayer(life);
  for (const step of life.steps) expect(player.perform(step), JSON.stringify(step)).toBe(true);
  player.passTime(life.until);
  return player.outcome();
}

for (const example of EXAMPLES) if (example.plays === undefined) testExample(example, outcomeOf);

test('examples have ids of their own', () => {
  expect(new Set(EXAMPLES.map(({ id }) => id)).size).toBe(EXAMPLES.length);
});
