import { expect, test } from 'vitest';
import { spansToRollUp } from '../../services/usage/roll-up-price-books.ts';

const LEAST = 60_000;

/** Spans as pairs of where they end, in thousands of positions, and how many thousand events they hold. */
function spansOf(from: number, ends: [to: number, events: number][]) {
  const known = ends.map(([to, events]) => ({ to: BigInt(to * 1_000), events: events * 1_000 }));
  return spansToRollUp(BigInt(from * 1_000), known, LEAST).map((one) =>
    [one.from, one.to, one.events].map((n) => Number(n) / 1_000),
  );
}

test('a span is rolled up once it has enough events of the customer', () => {
  expect(spansOf(0, [])).toEqual([]);
  expect(spansOf(0, [[500, 40]])).toEqual([]);
  expect(
    spansOf(0, [
      [500, 40],
      [1_000, 20],
    ]),
  ).toEqual([[0, 1_000, 60]]);
  expect(
    spansOf(500, [
      [1_000, 58],
      [1_500, 0],
    ]),
  ).toEqual([]);
});

test('of many events there are several spans, none with many more than are rolled up at once but where one span of the stream has them', () => {
  expect(
    spansOf(0, [
      [500, 300],
      [1_000, 200],
      [1_500, 100],
      [2_000, 400],
    ]),
  ).toEqual([
    [0, 1_000, 500],
    [1_000, 2_000, 500],
  ]);
  // What is left waits for more.
  expect(
    spansOf(0, [
      [500, 500],
      [1_000, 40],
    ]),
  ).toEqual([[0, 500, 500]]);
  expect(
    spansOf(0, [
      [500, 40],
      [1_000, 500],
    ]),
  ).toEqual([[0, 1_000, 540]]);
});
