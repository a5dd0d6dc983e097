import { expect, test } from 'vitest';
import { closingsAtOnce } from '../../local/our-processes.ts';

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
  [64, 3],
])('on %i cores, %i customers are closed at once', (cores, atOnce) => {
  expect(closingsAtOnce(cores)).toBe(atOnce);
});
