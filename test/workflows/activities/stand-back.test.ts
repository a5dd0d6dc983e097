import { expect, test, vi } from 'vitest';
import { createStandBack } from '../../../workflows/activities/stand-back.ts';

const NEVER = new AbortController().signal;

/** Starts so many workflows one after another; each adds a task that waits until somebody takes it. */
function fixture(longestMs = 60_000) {
  const server = { waiting: 0, started: 0 };
  const standBack = createStandBack(async () => ({ workflow: server.waiting }), NEVER, { pauseMs: 2, longestMs });
  const start = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await standBack();
      server.waiting++;
      server.started++;
    }
  };
  return { server, start };
}

test('a sweep waits while tasks wait for a worker, and goes on when they are taken', async () => {
  const { server, start } = fixture();
  const sweep = start(100);
  await vi.waitFor(() => expect(server.started).toBe(20));
  const worker = setInterval(() => {
    server.waiting = 0;
  }, 5);
  await sweep;
  clearInterval(worker);
  expect(server.started).toBe(100);
});

test('on a server that is always busy it goes on after a while', async () => {
  const { server, start } = fixture(20);
  server.waiting = 1_000;
  await start(20);
  expect(server.started).toBe(20);
});
