import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Stretch, takeStretches } from '../../aggregator/compare-repeats.ts';

const sum = (stretches: readonly Stretch[]) => stretches.reduce((total, { repeats }) => total + repeats, 0);
const stretch = (from: number, to: number, repeats: number): Stretch => ({ epoch: 1, partition: 0, from, to, repeats });

test('whole stretches are taken as long as there is room', () => {
  const waiting = [stretch(1, 10, 3), stretch(11, 20, 5), stretch(21, 30, 4)];
  expect(takeStretches(waiting, 8)).toEqual([stretch(1, 10, 3), stretch(11, 20, 5)]);
  expect(waiting).toEqual([stretch(21, 30, 4)]);
});

test('a stretch with too many repeats is divided by its messages', () => {
  const waiting = [stretch(1, 10, 100)];
  expect(takeStretches(waiting, 30)).toEqual([stretch(1, 3, 30)]);
  expect(waiting).toEqual([stretch(4, 10, 70)]);
});

test('a message is never divided', () => {
  const waiting = [stretch(7, 7, 500)];
  expect(takeStretches(waiting, 1)).toEqual([stretch(7, 7, 500)]);
  expect(waiting).toEqual([]);
});

test('every message is taken once, in order, whatever the limits are', () => {
  const sizes = fc.array(
    fc.record({ messages: fc.integer({ min: 1, max: 50 }), perMessage: fc.integer({ min: 1, max: 20 }) }),
  );
  const limits = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 });
  fc.assert(
    fc.property(sizes, limits, (stretches, mosts) => {
      let from = 1;
      const waiting = stretches.map(({ messages, perMessage }) => {
        const one = stretch(from, from + messages - 1, messages * perMessage);
        from += messages;
        return one;
      });
      const repeats = sum(waiting);
      const taken: Stretch[] = [];
      for (let i = 0; waiting.length > 0; i++) {
        const some = takeStretches(waiting, mosts[i % mosts.length] ?? 1);
        expect(some.length).toBeGreaterThan(0);
        taken.push(...some);
      }
      expect(sum(taken)).toBe(repeats);
      expect(taken.flatMap((one) => Array.from({ length: one.to - one.from + 1 }, (_, i) => one.from + i))).toEqual(
        Array.from({ length: from - 1 }, (_, i) => i + 1),
      );
    }),
  );
});
