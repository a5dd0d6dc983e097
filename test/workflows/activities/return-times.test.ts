import { expect, test } from 'vitest';
import { ReturnTimes } from '../../../workflows/activities/return-times.ts';

const ACCOUNT = 'acct_any';

test('activities that find no slot come again one behind the other, not all at once', () => {
  const times = new ReturnTimes(4);
  const pauses = Array.from({ length: 5 }, () => times.pauseMs(ACCOUNT, 0));
  expect(pauses).toEqual([250, 500, 750, 1_000, 1_250]);
  expect(times.pauseMs('acct_other', 0)).toBe(250);
  expect(times.pauseMs(ACCOUNT, 10_000)).toBe(250);
});

test('they come as fast as slots fall free: soon if activities are short, seldom if each holds its slot for long', () => {
  const [short, long] = [new ReturnTimes(10), new ReturnTimes(10)];
  for (const times of [short, long]) times.pauseMs(ACCOUNT, 0);
  for (let i = 0; i < 50; i++) {
    short.end(ACCOUNT, 900, 1_000);
    long.end(ACCOUNT, 0, 15_000);
  }
  const [first = 0, , , fourth = 0] = Array.from({ length: 4 }, () => short.pauseMs(ACCOUNT, 1_000));
  expect(fourth - first).toBeCloseTo(30, 0);
  const [early = 0, , , late = 0] = Array.from({ length: 4 }, () => long.pauseMs(ACCOUNT, 15_000));
  expect(late - early).toBeCloseTo(4_500, 0);
});

test('none waits for more than five minutes, nor all of them for the same time', () => {
  const times = new ReturnTimes(1);
  const pauses = Array.from({ length: 2_000 }, () => times.pauseMs(ACCOUNT, 0));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(300_000);
  expect(new Set(pauses.slice(1_000)).size).toBeGreaterThan(900);
  expect(Math.min(...pauses.slice(1_000))).toBeGreaterThanOrEqual(150_000);
});
