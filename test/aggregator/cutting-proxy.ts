import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { atPort } from './at-port.ts';

/**
 * A way to ClickHouse that loses the answers of the first `losses` inserts: the server has committed them, the caller
 * never hears of it.
 */
export async function startCuttingProxy(target: string, losses: number) {
  let lost = 0;
  const server = createServer((incoming, outgoing) => {
    const isInsert = incoming.method === 'POST' && (incoming.url ?? '').includes('INSERT');
    const { method } = incoming;
    const headers = { ...incoming.headers, host: new URL(target).host };
    const onward = request(`${target}${incoming.url}`, { method, headers }, (answer) => {
      if (isInsert && lost < losses) {
        lost += 1;
        answer.resume();
        answer.on('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: atPort(target, server),
    lost: () => lost,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
