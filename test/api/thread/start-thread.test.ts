import { afterEach, expect, test } from 'vitest';
import { OPERATIONS } from '../../../api/routes.ts';
import { createThread, type Thread } from '../../../api/thread/start-thread.ts';
import { THREAD_OPERATIONS } from '../../../api/thread/thread-operations.ts';
import type { Instant } from '../../../core/instants.ts';
import { createLog } from '../../../runtime/log.ts';

/** A real thread, whose stores are away. Turns last as long as a test has the usage stream be silent. */
const AWAY = {
  databaseUrl: 'postgres://nobody@127.0.0.1:9/none',
  clickhouseUrl: 'http://127.0.0.1:9',
  clickhouseCluster: undefined,
  usageLimitMs: 1_000,
  logLevel: 'silent',
  responseMaxBytes: 8 * 2 ** 20,
};

const NEVER = new AbortController().signal;
let thread: Thread | undefined;
afterEach(() => thread?.stop());

function threadWith(asOf: () => Promise<Instant>): Thread {
  thread = createThread(AWAY, { asOf, landedPosition: async () => 0n }, createLog('test', 'silent'));
  return thread;
}

function taskOf(accountId: string, operationId = 'retrieveDraftInvoice') {
  const params = { customer_id: 'large' };
  const call = { caller: { accountId }, params, query: {}, now: 0, url: 'http://localhost/' };
  return { operationId, call, requestId: 'req_1', isForPortal: false };
}

test('what goes wrong in the thread is told as everywhere, and the thread goes on', async () => {
  const { answer } = threadWith(async () => 0);
  const body = { request_id: 'req_1' };
  expect(await answer(taskOf('a'), NEVER)).toMatchObject({ status: 503, body, headers: { 'Retry-After': '1' } });
  expect(await answer(taskOf('a', 'dance'), NEVER)).toMatchObject({ status: 500, body, cause: expect.any(Error) });
  expect(await answer(taskOf('a'), NEVER)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

test('one answer at a time, by turns of accounts; of one account some wait, and who goes away does not', async () => {
  let answer = () => {};
  const turns: Promise<Instant>[] = [];
  const thread = threadWith(() => {
    const turn = new Promise<Instant>((resolve) => {
      answer = () => resolve(0);
    });
    turns.push(turn);
    return turn;
  });
  const ended: string[] = [];
  const ask = (name: string, signal = NEVER) =>
    thread.answer(taskOf(name.slice(0, 1)), signal).then(() => ended.push(name));
  const gone = new AbortController();
  const first = ask('a1');
  const waiting = Array.from({ length: 19 }, (_, i) => ask(`a${i + 2}`));
  const left = ask('a21', gone.signal);
  await expect(ask('a22')).rejects.toMatchObject({ code: 'unavailable' });
  const other = ask('b1');
  expect([turns.length, thread.turns.waiting()]).toEqual([1, 21]);
  gone.abort();
  await expect(left).rejects.toMatchObject({ status: 499 });
  for (const next of [first, other, ...waiting]) {
    answer();
    await next;
  }
  expect(ended.slice(0, 3)).toEqual(['a1', 'b1', 'a2']);
  expect(ended).toHaveLength(21);
});

test('it has each operation that may run there', () => {
  const idsOf = (operations: readonly { id: string }[]) => operations.map(({ id }) => id).toSorted();
  expect(idsOf(THREAD_OPERATIONS)).toEqual(idsOf(OPERATIONS.filter(({ inThread }) => inThread)));
});
