import { setImmediate as settled } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fairTurns } from '../../runtime/fair-turns.ts';

const NEVER = new AbortController().signal;

/** Work that ends when it is told; what has begun, in order. */
function fixture(limits: Parameters<typeof fairTurns>[0]) {
  const inTurn = fairTurns(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, signal = NEVER) => {
    const party = name.slice(0, 1);
    const done = inTurn(party, signal, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
    done.catch(() => {});
    return done;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  const { isFull, waitingParties, takeRefusals } = inTurn;
  return { ask, begun, end, isFull, waitingParties, takeRefusals };
}

describe('who begins', () => {
  test('one party never has all places, so that another one begins at once', async () => {
    const { ask, begun } = fixture({ atOnce: 3, ofOne: 2, waitingOfOne: 10 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name);
    expect(begun).toEqual(['a1', 'a2']);
    ask('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
  });

  test('places that fall free go around, whatever a party waits with; each party in its own order', async () => {
    const { ask, begun, end } = fixture({ atOnce: 2, ofOne: 2, waitingOfOne: 10 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2']) ask(name);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  });

  test('a place that its party may not fill goes to the next one', async () => {
    const { ask, begun, end } = fixture({ atOnce: 2, ofOne: 1, waitingOfOne: 10 });
    for (const name of ['a1', 'b1', 'a2', 'b2']) ask(name);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'b2']);
    await end('b2');
    expect(begun).toEqual(['a1', 'b1', 'b2']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  test('it is full where no place is free, not where a party has taken what it may', async () => {
    const { ask, end, isFull } = fixture({ atOnce: 2, ofOne: 1, waitingOfOne: 10 });
    for (const name of ['a1', 'a2']) ask(name);
    expect(isFull()).toBe(false);
    ask('b1');
    expect(isFull()).toBe(true);
    await end('b1');
    expect(isFull()).toBe(false);
  });

  test('work that fails gives its place on', async () => {
    const inTurn = fairTurns({ atOnce: 1, ofOne: 1, waitingOfOne: 1 });
    const fail = () => Promise.reject(new Error('no'));
    await expect(inTurn('a', NEVER, fail)).rejects.toThrow('no');
    expect(await inTurn('a', NEVER, async () => 'yes')).toBe('yes');
  });
});

describe('who does not', () => {
  test('beyond what one party may wait with is refused; another party may still wait', async () => {
    const { ask, begun, end, takeRefusals } = fixture({ atOnce: 1, ofOne: 1, waitingOfOne: 2 });
    for (const name of ['a1', 'a2', 'a3']) ask(name);
    await expect(ask('a4')).rejects.toMatchObject({ code: 'unavailable' });
    expect([takeRefusals(), takeRefusals()]).toEqual([new Map([['a', 1]]), new Map()]);
    const b = ask('b1');
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(await b).toBe('b1');
  });

  test('who went away while waiting never begins and makes room', async () => {
    const { ask, begun, end } = fixture({ atOnce: 1, ofOne: 1, waitingOfOne: 1 });
    const gone = new AbortController();
    ask('a1');
    const a2 = ask('a2', gone.signal);
    gone.abort(new Error('gone'));
    await expect(a2).rejects.toThrow('gone');
    await expect(ask('a3', gone.signal)).rejects.toThrow('gone');
    ask('a4');
    await end('a1');
    expect(begun).toEqual(['a1', 'a4']);
  });
});

test('who has waited too long is refused, with a code of its own, and makes room', async () => {
  const inTurn = fairTurns({ atOnce: 1, ofOne: 1, waitingOfOne: 1, longestWaitMs: 5 });
  let end = () => {};
  const first = inTurn('a', NEVER, () => new Promise<void>((resolve) => (end = resolve)));
  const refusal = { code: 'unavailable', reason: 'too_many_at_once' };
  await expect(inTurn('a', NEVER, async () => 'late')).rejects.toMatchObject(refusal);
  const next = inTurn('a', NEVER, async () => 'in time');
  end();
  expect(await next).toBe('in time');
  await first;
  expect(inTurn.refused()).toBe(1);
});

test('a place that is taken is given on by its function, once', async () => {
  const inTurn = fairTurns({ atOnce: 1, ofOne: 1, waitingOfOne: 10 });
  const leave = await inTurn.take('a', NEVER);
  const [second, third] = [inTurn.take('a', NEVER), inTurn.take('a', NEVER)];
  leave();
  leave();
  const leaveSecond = await second;
  expect(inTurn.waitingParties()).toEqual([{ party: 'a', running: 1, waiting: 1 }]);
  leaveSecond();
  (await third)();
  expect(inTurn.isFull()).toBe(false);
});

test('tells which parties wait, and with how much', async () => {
  const { ask, end, waitingParties } = fixture({ atOnce: 2, ofOne: 1, waitingOfOne: 10 });
  for (const name of ['a1', 'b1', 'a2', 'a3', 'c1']) ask(name);
  expect(waitingParties()).toEqual([
    { party: 'a', running: 1, waiting: 2 },
    { party: 'c', running: 0, waiting: 1 },
  ]);
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) await end(name);
  expect(waitingParties()).toEqual([]);
});
