import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { atPort } from './at-port.ts';

/** A message with headers, as the server sends it: subject, subscription, perhaps a reply, the bytes of its headers and of all. */
const MESSAGE = /^HMSG \S+ (\d+) (?:\S+ )?\d+ (\d+)\r\n/;

/**
 * A way to NATS that loses messages in the middle of an answer, as a reconnect does: of the first `losses` answers with more
 * than two messages, the second one and what follows it within the same piece.
 */
export async function startSwallowingProxy(target: string, losses: number) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let lost = 0;

  /** What of a piece of the server's bytes is passed on; `rest`: the beginning of something that has not come whole. */
  function createFilter() {
    let rest: Buffer = Buffer.alloc(0);
    const seen = new Map<string, number>();
    return (piece: Buffer): Buffer => {
      let bytes = Buffer.concat([rest, piece]);
      const passed: Buffer[] = [];
      for (;;) {
        const end = bytes.indexOf('\r\n');
        if (end < 0) break;
        const line = bytes.subarray(0, end + 2).toString('latin1');
        const [, subscription = '', size] = MESSAGE.exec(line) ?? [];
        const plain = /^MSG \S+ \d+ (?:\S+ )?(\d+)\r\n$/.exec(line)?.[1];
        const body = size ?? plain;
        const length = line.length + (body === undefined ? 0 : Number(body) + 2);
        if (bytes.length < length) break;
        const frame = bytes.subarray(0, length);
        bytes = bytes.subarray(length);
        const isStored =
          size !== undefined && frame.includes('Nats-Num-Pending: ') && frame.includes('Nats-Sequence: ');
        const nth = (seen.get(subscription) ?? 0) + 1;
        if (isStored) seen.set(subscription, nth);
        if (isStored && nth === 2 && lost < losses) lost += 1;
        else passed.push(frame);
      }
      rest = bytes;
      return Buffer.concat(passed);
    };
  }

  const server = createServer((client) => {
    const onward = connect(Number(port), hostname);
    const filter = createFilter();
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
    client.pipe(onward);
    onward.on('data', (piece: Buffer) => client.write(filter(piece)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: atPort(target, server),
    lost: () => lost,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
