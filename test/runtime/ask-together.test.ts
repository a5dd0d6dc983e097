import { expect, test } from 'vitest';
import { askTogether, askTogetherBy } from '../../runtime/ask-together.ts';

/** A load that answers when told to; `calls` are the questions of each call so far. */
function heldLoad() {
  const calls: number[][] = [];
  const release: (() => void)[] = [];
  const load = (questions: number[]) => {
    calls.push(questions);
    return new Promise<string[]>((resolve) => release.push(() => resolve(questions.map((n) => `answer ${n}`))));
  };
  return { calls, release: () => release.shift()?.(), load };
}

test('questions that come meanwhile are asked together, each gets its own answer', async () => {
  const { calls, release, load } = heldLoad();
  const ask = askTogether(load, { atOnce: 1, most: 10 });
  const answers = [1, 2, 3].map((n) => ask(n));
  expect(calls).toEqual([[1]]);
  release();
  expect(await answers[0]).toBe('answer 1');
  expect(calls).toEqual([[1], [2, 3]]);
  release();
  expect(await Promise.all(answers)).toEqual(['answer 1', 'answer 2', 'answer 3']);
});

test('no more calls at once, and no more questions in one, than allowed', async () => {
  const { calls, release, load } = heldLoad();
  const ask = askTogether(load, { atOnce: 2, most: 2 });
  const answers = [1, 2, 3, 4, 5].map((n) => ask(n));
  expect(calls).toEqual([[1], [2]]);
  release();
  await answers[0];
  expect(calls).toEqual([[1], [2], [3, 4]]);
  release();
  await answers[1];
  expect(calls.at(-1)).toEqual([5]);
  release();
  release();
  expect(await Promise.all(answers)).toHaveLength(5);
});

test('a call that fails fails its questions alone', async () => {
  const ask = askTogether(
    async (questions: number[]) => {
      if (questions.includes(2)) throw new Error('away');
      return questions;
    },
    { atOnce: 1, most: 1 },
  );
  const answers = await Promise.allSettled([ask(1), ask(2), ask(3)]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('calls keep their distance: what comes meanwhile is asked together, the first one at once', async () => {
  const calls: { at: number; questions: number[] }[] = [];
  const load = async (questions: number[]) => {
    calls.push({ at: performance.now(), questions });
    return questions;
  };
  const ask = askTogether(load, { atOnce: 2, most: 10, everyMs: 20 });
  const first = ask(1);
  expect(calls).toHaveLength(1);
  await first;
  expect(await Promise.all([ask(2), ask(3), ask(4)])).toEqual([2, 3, 4]);
  expect(calls.map(({ questions }) => questions)).toEqual([[1], [2, 3, 4]]);
  // Timers may be early by a little.
  expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(15);
});

test('by a key: one whose call never ends, or fails, holds up no other', async () => {
  const calls: string[][] = [];
  const ask = askTogetherBy(
    (question: string) => question.slice(0, 1),
    (questions) => {
      calls.push(questions);
      return questions[0] === 'a1' ? new Promise<string[]>(() => {}) : Promise.resolve(questions);
    },
    { atOnce: 1, most: 10 },
  );
  void ask('a1');
  void ask('a2');
  expect(await Promise.all([ask('b1'), ask('b2'), ask('c1')])).toEqual(['b1', 'b2', 'c1']);
  expect(calls).toEqual([['a1'], ['b1'], ['c1'], ['b2']]);
});
