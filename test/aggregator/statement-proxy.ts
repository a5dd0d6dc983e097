import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { atPort } from './at-port.ts';

const CHANGES = /^\s*(ALTER|CREATE|DROP|EXCHANGE|INSERT|RENAME)\b/i;
const EVENTS = /^\s*INSERT INTO usage_events\b/i;

/**
 * A way to ClickHouse for a process that ends with its `count`th statement that changes something, when the server has done it
 * and before its answer. Nothing gets through after that.
 */
export async function startEndingProxy(target: string, count: number) {
  let changes = 0;
  const hasEnded = () => changes >= count;
  const proxy = await startProxy(target, async (statement, pass) => {
    if (hasEnded()) throw new Error('ended');
    if (CHANGES.test(statement)) changes += 1;
    const answer = await pass();
    if (hasEnded()) throw new Error('ended');
    return answer;
  });
  return { ...proxy, hasEnded };
}

/** A way to ClickHouse on which events that have been sent arrive after `ms` alone: until then nothing of them is there. */
export function startLateProxy(target: string, ms: number) {
  return startProxy(target, async (statement, pass) => {
    if (EVENTS.test(statement)) await sleep(ms);
    return pass();
  });
}

type Answer = { status: number; headers: IncomingMessage['headers']; body: Buffer };

/** Passes statements to the server, and its answers back, as `by` does; where that fails, the caller's connection breaks. */
async function startProxy(target: string, by: (statement: string, pass: () => Promise<Answer>) => Promise<Answer>) {
  const server = createServer((incoming, outgoing) => {
    void answer(incoming).then(
      ({ status, headers, body }) => outgoing.writeHead(status, headers).end(body),
      () => incoming.socket.destroy(),
    );
  });

  async function answer(incoming: IncomingMessage): Promise<Answer> {
    const body = await buffer(incoming);
    const statement = new URL(incoming.url ?? '/', target).searchParams.get('query') ?? body.toString();
    return by(statement, async () => {
      const { method, url } = incoming;
      const headers = { ...incoming.headers, host: new URL(target).host };
      const onward = request(`${target}${url}`, { method, headers });
      onward.end(body);
      const [answered] = (await once(onward, 'response')) as [IncomingMessage];
      return { status: answered.statusCode ?? 500, headers: answered.headers, body: await buffer(answered) };
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: atPort(target, server),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
