import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { untilTaken } from '../../../workflows/call-errors.ts';
import { createWhileReachable } from '../../../workflows/while-reachable.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));

test('a call that waits is given up once Temporal does not answer, and says so', async () => {
  const whileReachable = createWhileReachable(() => Promise.reject(new Error('no answer')));
  await expect(whileReachable(untilAborted)).rejects.toThrow('The scheduler is not reachable right now.');
});

test('calls that wait share one question, and one that is done asks none', async () => {
  let asked = 0;
  const answered = Promise.withResolvers<void>();
  const whileReachable = createWhileReachable(() => {
    asked += 1;
    return answered.promise;
  });
  expect(await whileReachable(async () => 'done')).toBe('done');
  expect(asked).toBe(0);
  const waiting = [1, 2, 3].map(() => whileReachable(untilAborted).catch(String));
  await new Promise((resolve) => setTimeout(resolve, 700));
  answered.reject(new Error('away'));
  expect((await Promise.all(waiting)).every((text) => text.includes('not reachable'))).toBe(true);
  expect(asked).toBe(1);
});

test('a call that Temporal does not take is made again until it does, or is given up', async () => {
  let calls = 0;
  const taken = async () => {
    calls += 1;
    if (calls < 3) throw new ServiceError('no worker has asked for tasks lately');
    return calls;
  };
  expect(await untilTaken(taken, new AbortController().signal)).toBe(3);
  const refused = () => Promise.reject(new ServiceError('not taken'));
  await expect(untilTaken(refused, AbortSignal.timeout(100))).rejects.toThrow('not taken');
  const bug = () => Promise.reject(new Error('a bug'));
  await expect(untilTaken(bug, new AbortController().signal)).rejects.toThrow('a bug');
});
