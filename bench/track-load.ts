import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const TIME = '2026-11-20T10:00:00.123Z';

export type Load = {
  connections: number;
  /** Requests per second, sent by the clock however slow the answers are; without it as fast as they come. */
  perSecond?: number;
  /** Hears of each request once it was answered 200: the answer, and milliseconds since the request was due. */
  onAccepted?(index: number, answer: string, ms: number): void;
  /** Whether an answer has come whole; without it every packet is one. */
  isWhole?(answer: string): boolean;
};

/**
 * Sends prepared HTTP requests over kept-alive connections, each with one request under way, and waits for every answer.
 * As bare as can be, since it shares the machine with what it measures. Resolves with requests per second.
 * @throws where an answer is not 200.
 */
export async function sendAll(port: number, requests: Buffer[], load: Load): Promise<number> {
  const { connections, perSecond } = load;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let next = 0;
  const started = performance.now();
  const take = async (): Promise<Taken | undefined> => {
    const index = next++;
    const request = requests[index];
    const due = perSecond ? started + (index * 1000) / perSecond : performance.now();
    const early = due - performance.now();
    if (early > 0.5) await sleep(early);
    return request && { index, request, due };
  };
  await Promise.all(sockets.map((socket) => drive(socket, take, load)));
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  return requests.length / seconds;
}

type Taken = { index: number; request: Buffer; due: number };

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

function drive(
  socket: Socket,
  take: () => Promise<Taken | undefined>,
  { onAccepted = () => {}, isWhole = () => true }: Load,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let taken: Taken | undefined;
    let answer = '';
    const send = async () => {
      taken = await take();
      if (taken) socket.write(taken.request);
      else resolve();
    };
    socket.on('data', (packet) => {
      answer += packet.toString('latin1');
      if (!isWhole(answer)) return;
      if (answer.slice(9, 12) !== '200') return reject(new Error(`Not accepted: ${answer}`));
      if (taken) onAccepted(taken.index, answer, performance.now() - taken.due);
      answer = '';
      void send();
    });
    socket.on('error', reject);
    void send();
  });
}

/** What event `i` of a load says: two numbers, two strings, a boolean. */
export function loadProperties(i: number) {
  return { bytes: i + 0.25, tokens: i % 1_000, region: 'eu-west-1', model: `m${i % 5}`, cached: i % 2 === 0 };
}

/** The JSON of event `i` of a run. */
export function loadEvent(tag: string, i: number, customerId = `customer-${i % 1_000}`, time = TIME): string {
  const event = { event_name: 'api_call', customer_id: customerId, idempotency_id: `${tag}-${i}` };
  return JSON.stringify({ ...event, time_created: time, properties: loadProperties(i) });
}

/** Requests with ids of their own, as they go over the wire. */
export function prepareRequests(
  tag: string,
  count: number,
  port: number,
  key: string,
  customerOf = (i: number) => `customer-${i % 1_000}`,
  timeOf = (_i: number) => TIME,
): Buffer[] {
  return Array.from({ length: count }, (_, i) => {
    const body = loadEvent(tag, i, customerOf(i), timeOf(i));
    const head = `POST /api/track HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-KEY: ${key}\r\nContent-Type: application/json`;
    return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
}
