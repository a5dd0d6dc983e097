import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { atPort } from './at-port.ts';

const CHANGES = /^\s*(ALTER|CREATE|DROP|EXCHANGE|INSERT|RENAME)\b/i;

/**
 * A way to ClickHouse for a process that ends with its `count`th statement that changes something, when the server has done it
 * and before its answer. Nothing gets through after that.
 */
export async function startEndingProxy(target: string, count: number) {
  let changes = 0;
  const server = createServer((incoming, outgoing) => {
    void pass(incoming).then(
      ({ status, headers, body }) => outgoing.writeHead(status, headers).end(body),
      () => incoming.socket.destroy(),
    );
  });

  async function pass(incoming: IncomingMessage) {
    const body = await buffer(incoming);
    const statement = new URL(incoming.url ?? '/', target).searchParams.get('query') ?? body.toString();
    if (changes >= count) throw new Error('ended');
    if (CHANGES.test(statement)) changes += 1;
    const { method, url } = incoming;
    const headers = { ...incoming.headers, host: new URL(target).host };
    const onward = request(`${target}${url}`, { method, headers });
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const answered = await buffer(answer);
    if (changes >= count) throw new Error('ended');
    return { status: answer.statusCode ?? 500, headers: answer.headers, body: answered };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: atPort(target, server),
    hasEnded: () => changes >= count,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
