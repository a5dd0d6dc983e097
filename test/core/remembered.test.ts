import { expect, test } from 'vitest';
import { remembered } from '../../core/remembered.ts';

test('an answer is found once, and told again for the same texts and numbers', () => {
  let found = 0;
  const of = remembered((date: string, n: number) => `${date} ${n} ${++found}`);
  expect([of('a', 1), of('a', 1), of('a', 12), of('b', 1)]).toEqual(['a 1 1', 'a 1 1', 'a 12 2', 'b 1 3']);
});

test('what throws is not remembered', () => {
  let asked = 0;
  const of = remembered((n: number) => {
    if (++asked === 1) throw new Error('not yet');
    return n;
  });
  expect(() => of(1)).toThrow('not yet');
  expect(of(1)).toBe(1);
});

test('it keeps no more than 10,000 answers', () => {
  let found = 0;
  const of = remembered((n: number) => {
    found++;
    return n;
  });
  for (let n = 0; n < 10_001; n++) of(n);
  expect(of(10_000)).toBe(10_000);
  expect(found).toBe(10_001);
  expect(of(0)).toBe(0);
  expect(found).toBe(10_002);
});
