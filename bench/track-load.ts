import { connect, type Socket } from 'node:net';

/**
 * Sends prepared HTTP requests over `connections` kept-alive connections, each with one request under way, and waits for
 * every answer. As bare as can be, since it shares the machine with what it measures. Resolves with requests per second.
 * @throws where an answer is not 200.
 */
export async function sendAll(port: number, requests: Buffer[], connections: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let next = 0;
  const started = performance.now();
  await Promise.all(sockets.map((socket) => drive(socket, () => requests[next++])));
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  return requests.length / seconds;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

/** An answer of ours is far smaller than a packet, so it comes whole. */
function drive(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = () => {
      const request = next();
      if (request) socket.write(request);
      else resolve();
    };
    socket.on('data', (answer) => {
      if (answer.toString('latin1', 9, 12) === '200') send();
      else reject(new Error(`Not accepted: ${answer.toString()}`));
    });
    socket.on('error', reject);
    send();
  });
}

/** Requests with ids of their own, as they go over the wire. */
export function prepareRequests(tag: string, count: number, port: number, key: string): Buffer[] {
  const time = '2026-11-20T10:00:00.123Z';
  return Array.from({ length: count }, (_, i) => {
    const properties = {
      bytes: i + 0.25,
      tokens: i % 1_000,
      region: 'eu-west-1',
      model: `m${i % 5}`,
      cached: i % 2 === 0,
    };
    const event = { event_name: 'api_call', customer_id: `customer-${i % 1_000}`, idempotency_id: `${tag}-${i}` };
    const body = JSON.stringify({ ...event, time_created: time, properties });
    const head = `POST /api/track HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-KEY: ${key}\r\nContent-Type: application/json`;
    return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
}
