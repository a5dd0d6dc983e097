import { expect, test } from 'vitest';
import { atMost } from '../../runtime/at-most.ts';

test('so many at once, in order, whatever becomes of them', async () => {
  const limited = atMost(2);
  const began: number[] = [];
  let running = 0;
  let most = 0;
  const work = (i: number) =>
    limited(async () => {
      began.push(i);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (i % 3 === 0) throw new Error(`${i}`);
      return i;
    });
  const outcomes = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(work));
  expect(outcomes.map(({ status }) => status === 'rejected')).toEqual([true, false, false, true, false, false, true]);
  expect(began).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
  expect(await work(7)).toBe(7);
});
