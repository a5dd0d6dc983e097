import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countUnsentAnswers } from '../../api/unsent-answers.ts';

/** A real server whose callers take their answers when they like. */
const LARGE = 20_000_000; // far beyond what the system keeps for a connection
const count = countUnsentAnswers({ ofAll: 3 * LARGE, ofOne: 2 * LARGE });
const server = createServer((request, response) => {
  const [, account = '', length = ''] = (request.url ?? '').split('/');
  try {
    count(account, Number(length), response);
    response.end('x'.repeat(Number(length)));
  } catch {
    response.writeHead(503).end();
  }
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The answer, of which nothing has been read. */
async function ask(path: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const sent = get({ host: '127.0.0.1', port, path, agent: false });
  const [answer] = await once(sent, 'response');
  return answer;
}

test('an account that does not take its large answers gets no more of them; what is small, and others, are answered', async () => {
  const first = await ask(`/a/${LARGE}`);
  const second = await ask(`/a/${LARGE}`);
  expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  expect((await ask(`/a/${LARGE}`)).statusCode).toBe(503);
  expect((await ask('/a/1000')).statusCode).toBe(200);
  // One alone is let through, also where all together hold as much as they may.
  expect((await ask(`/b/${LARGE}`)).statusCode).toBe(200);
  expect((await ask(`/b/${LARGE}`)).statusCode).toBe(503);
  const third = await ask(`/c/${LARGE}`);
  expect(third.statusCode).toBe(200);
  // Taken, or gone: either makes room.
  first.resume();
  await once(first, 'close');
  second.destroy();
  third.destroy();
  await expect.poll(async () => (await ask(`/a/${LARGE}`)).statusCode).toBe(200);
});
