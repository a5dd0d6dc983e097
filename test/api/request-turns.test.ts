import { setImmediate as settled } from 'node:timers/promises';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { type CallPlace, createRequestTurns } from '../../api/request-turns.ts';

type Running = CallPlace & { end(): void };

/** Calls of accounts, which run until they are told to end, or until the test has ended. */
function fixture() {
  const turns = createRequestTurns();
  const begun: string[] = [];
  const running = new Map<string, Running>();
  const answers: (Response | Promise<Response>)[] = [];
  const isOver = Promise.withResolvers<void>();
  const app = new Hono();
  app.all('/:account/:name', async (c) => {
    const { account, name } = c.req.param();
    await turns.run(c, account, 'operation', async (place) => {
      begun.push(name);
      const isEnded = new Promise<void>((resolve) => running.set(name, { ...place, end: resolve }));
      await Promise.race([isEnded, isOver.promise]);
    });
    return c.text(name);
  });
  const call = async (account: string, name: string, headers: Record<string, string> = {}, method = 'POST') => {
    answers.push(app.request(`/${account}/${name}`, { method, headers }));
    await settled();
  };
  const end = async (name: string) => {
    running.get(name)?.end();
    await settled();
  };
  // A call that is left waiting would be refused, and say so, while a test of another file runs.
  onTestFinished(async () => {
    isOver.resolve();
    for (const answer of answers) expect((await answer).status).toBe(200);
  });
  return { turns, begun, running, call, end };
}

test('an account with hundreds of calls leaves places to others', async () => {
  const { begun, call } = fixture();
  for (let i = 0; i < 300; i++) await call('a', `a${i}`);
  expect(begun).toHaveLength(32);
  await call('b', 'b');
  expect(begun.at(-1)).toBe('b');
});

test('while a call waits outside for others, another one of its account has its place', async () => {
  const { begun, running, call, end } = fixture();
  for (let i = 0; i < 33; i++) await call('a', `a${i}`);
  const waited = Promise.withResolvers<string>();
  const outside = running.get('a0')?.outside(() => waited.promise);
  await settled();
  expect(begun.at(-1)).toBe('a32');
  waited.resolve('answer');
  await settled();
  await end('a1');
  expect(await outside).toBe('answer');
  for (let i = 0; i < 33; i++) await end(`a${i}`);
  for (let i = 0; i < 32; i++) await call('a', `again${i}`);
  expect(begun).toHaveLength(33 + 32);
});

test('a place that is asked for again after its call has ended is not kept', async () => {
  const { begun, running, turns, call, end } = fixture();
  await call('a', 'first');
  const waited = Promise.withResolvers<void>();
  const outside = running.get('first')?.outside(() => waited.promise);
  await end('first');
  waited.resolve();
  await outside;
  expect(turns.shares.calls.running().size).toBe(0);
  expect(begun).toEqual(['first']);
});

test('large calls of an account come one at a time, beside its small ones: by their body, or by the answer before', async () => {
  const { begun, turns, call, end } = fixture();
  const large = { 'Content-Length': String(300 * 1024) };
  await call('a', 'large 1', large);
  await call('a', 'large 2', large);
  await call('a', 'in chunks', { 'Transfer-Encoding': 'chunked' });
  await call('a', 'small');
  await call('b', 'large of b', large);
  expect(begun).toEqual(['large 1', 'small', 'large of b']);
  turns.note('a', 'operation', 300 * 1024);
  await call('a', 'answers as large');
  expect(begun).toHaveLength(3);
  for (const name of ['large 1', 'large 2', 'in chunks', 'answers as large']) await end(name);
  expect(begun.slice(3)).toEqual(['large 2', 'in chunks', 'answers as large']);
  turns.note('a', 'operation', 1_000);
  await call('a', 'small 1');
  await call('a', 'small 2');
  expect(begun.slice(6)).toEqual(['small 1', 'small 2']);
});

test('reads come one at a time until one has been answered: nobody knows before how large they are', async () => {
  const { begun, turns, call, end } = fixture();
  for (const name of ['first', 'second', 'third']) await call('a', name, {}, 'GET');
  expect(begun).toEqual(['first']);
  turns.note('a', 'operation', 1_000);
  await end('first');
  for (const name of ['fourth', 'fifth']) await call('a', name, {}, 'GET');
  expect(begun).toEqual(['first', 'second', 'fourth', 'fifth']);
});

test('a call that turns out to be large waits for its turn as such, and leaves its place meanwhile', async () => {
  const { begun, running, turns, call, end } = fixture();
  await call('a', 'large', { 'Content-Length': String(300 * 1024) });
  for (let i = 0; i < 32; i++) await call('a', `a${i}`);
  expect(begun).toHaveLength(32);
  const turn = running.get('a0')?.becomeLarge();
  await settled();
  expect(begun.at(-1)).toBe('a31');
  expect(running.get('a0')?.isLarge()).toBe(false);
  await end('large');
  await end('a1');
  await turn;
  expect(running.get('a0')?.isLarge()).toBe(true);
  await running.get('a0')?.outside(async () => {
    await call('a', 'large meanwhile', { 'Content-Length': String(300 * 1024) });
    expect(begun).not.toContain('large meanwhile');
  });
  await end('a0');
  expect(begun).toContain('large meanwhile');
  await end('large meanwhile');
  for (let i = 0; i < 32; i++) await end(`a${i}`);
  expect(turns.shares.large_calls.running().size).toBe(0);
  expect(turns.shares.calls.running().size).toBe(0);
});
