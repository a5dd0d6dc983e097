import { expect } from 'vitest';
import type { Life, Outcome } from '../../billing/lives/life.ts';
import type { Example } from '../../billing/reversals/example.ts';
import { EXAMPLES } from '../../billing/reversals/examples.ts';
import { testExample } from '../../billing/reversals/test-example.ts';
import { howMany } from '../../how-many.ts';
import { playerOnStack } from './stack-player.ts';
import { newStage } from './stage.ts';

/** The examples whose rule the services keep and their copies in memory do not yet: late usage that lowers a period is settled. */
const KEPT = [
  ...['january-free', 'january-half', 'january-amount-off', 'january-void', 'january-refunded-in-part'],
  ...['january-refunded', 'january-refunded-after', 'january-former-payer', 'january-then-free', 'tax-in-shares'],
];
/** Late usage above zero is not settled yet: 900.00 are charged instead of 600.00. */
const TODAY: Record<string, Example['today']> = { 'refund-then-back-and-forth': { net: { a: '900' } } };

/**
 * The worked examples of how money goes back, lived through the API: those that the copies of the services cannot perform in memory, or
 * perform in another way. A thorough run performs all.
 */
const isThorough = howMany(0, 1) === 1;
const chosen = EXAMPLES.filter(({ id, plays }) => {
  return isThorough || plays !== undefined || KEPT.includes(id) || id in TODAY;
}).map(({ today, ...example }): Example => {
  const onStack = TODAY[example.id] ?? today;
  return KEPT.includes(example.id) || onStack === undefined ? example : { ...example, today: onStack };
});

async function outcomeOf(life: Life): Promise<Outcome> {
  const player = await playerOnStack(await newStage('calls'), life);
  for (const step of life.steps) expect(await player.perform(step), JSON.stringify(step)).toBe(true);
  await player.passTime(life.until);
  return player.outcome();
}

for (const example of chosen) testExample(example, outcomeOf);
