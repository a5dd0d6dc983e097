import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurns } from '../../runtime/in-turns.ts';

/** `count` items that take 2 ms each to make; every one is noted. */
function* slowly(count: number, note: (i: number) => void): Generator<number> {
  for (let i = 0; i < count; i++) {
    const until = performance.now() + 2;
    while (performance.now() < until);
    note(i);
    yield i;
  }
}

/** Counts how often the event loop comes round while `work` runs. */
async function watched<T>(work: (rounds: () => number) => Promise<T>): Promise<T> {
  let rounds = 0;
  let isOver = false;
  const count = async () => {
    while (!isOver) {
      await setImmediate();
      rounds++;
    }
  };
  const counting = count();
  const result = await work(() => rounds);
  isOver = true;
  await counting;
  return result;
}

test('takes all of a sequence in its order, with others in between', async () => {
  const at: number[] = [];
  const taken = await watched((rounds) => inTurns(slowly(30, () => at.push(rounds()))));
  expect(taken).toEqual(Array.from({ length: 30 }, (_, i) => i));
  expect(new Set(at).size).toBeGreaterThanOrEqual(10);
});

test('several long pieces of work take one turn between them, not one each', async () => {
  const at: { round: number; who: number }[] = [];
  await watched((rounds) =>
    Promise.all([0, 1, 2, 3].map((who) => inTurns(slowly(20, () => at.push({ round: rounds(), who }))))),
  );
  const later = at.filter(({ round }) => round > 0);
  const inRound = Map.groupBy(later, ({ round }) => round);
  for (const works of inRound.values()) expect(new Set(works.map(({ who }) => who)).size).toBe(1);
});

test('what fails while it is made fails as a whole', async () => {
  const failing = slowly(10, (i) => {
    if (i === 5) throw new Error('the fifth');
  });
  await expect(inTurns(failing)).rejects.toThrow('the fifth');
});
