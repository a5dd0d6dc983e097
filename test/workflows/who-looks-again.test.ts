import { expect, test } from 'vitest';
import { createWhoLooksAgain } from '../../workflows/activities/who-looks-again.ts';

const HOUR_MS = 3_600_000;

test('at the first of the month, with more than 100 tasks waiting, nobody is told to look again; then each is, once an hour', async () => {
  let [now, workflow] = [HOUR_MS, 101];
  const sweep = createWhoLooksAgain(async () => ({ workflow, activity: 5_000 }), { now: () => now });
  const inRush = await sweep();
  expect([inRush('subscription/a'), inRush('refund/r')]).toEqual([false, false]);

  workflow = 100;
  const calm = await sweep();
  expect([calm('subscription/a'), calm('subscription/a'), calm('refund/r')]).toEqual([true, false, true]);

  now += HOUR_MS - 1;
  const sooner = await sweep();
  expect([sooner('subscription/a'), sooner('subscription/b')]).toEqual([false, true]);
  now += 1;
  const later = await sweep();
  expect([later('subscription/a'), later('subscription/b')]).toEqual([true, false]);
});
