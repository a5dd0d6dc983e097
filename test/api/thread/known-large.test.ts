import { expect, test } from 'vitest';
import { rememberLarge } from '../../../api/thread/known-large.ts';

test('what was too large is known for ten minutes, and of very many the newest', () => {
  let now = 0;
  const known = rememberLarge(() => now);
  expect(known.has('a')).toBe(false);
  known.note('a');
  now = 599_999;
  expect(known.has('a')).toBe(true);
  known.note('a');
  now = 600_000;
  expect(known.has('a')).toBe(true);
  for (let i = 0; i < 1_000; i++) known.note(`other ${i}`);
  expect(known.has('a')).toBe(false);
  expect(known.has('other 0')).toBe(true);
});
