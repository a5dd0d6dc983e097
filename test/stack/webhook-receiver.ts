import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { type Api, itemsOf, type Json } from './api.ts';

/** A request that a receiver got. */
export type Received = { path: string; headers: Record<string, string>; body: string };

export type Receiver = {
  url: string;
  /** In the order of arrival. */
  received: Received[];
  close(): Promise<void>;
};

type Answer = (received: Received, response: ServerResponse) => void;

/** A webhook receiver on this machine; answers 204 unless `answer` does otherwise. */
export async function startReceiver(
  answer: Answer = (_, response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const one = await receive(request).catch(() => undefined);
    if (!one) return;
    received.push(one);
    answer(one, response);
  });
  const url = await listen(server);
  return {
    url,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const body = await text(request);
  return { path: request.url ?? '', headers: request.headers as Record<string, string>, body };
}

/** Listens on a free port of this machine's loopback. */
function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** The types of what arrived, in that order. */
export function typesOf(received: Received[]): string[] {
  return received.map(({ body }) => String(eventOf(body).type));
}

export type ReceivedEvent = { id: string; type: string; timestamp: string; data: Json };

/** The event of a body; numbers of its data are floats. */
export function eventOf(body: string): ReceivedEvent {
  return JSON.parse(body) as ReceivedEvent;
}

/** Has events sent to `url`; returns the endpoint's id and secret. */
export async function makeEndpoint(api: Api, url: string, more: object = {}): Promise<{ id: string; secret: string }> {
  const made = await api.post('/api/webhooks', { webhook_url: url, ...more });
  expect(made.status, made.text).toBe(201);
  return { id: String(made.body.webhook_endpoint_id), secret: String(made.body.webhook_secret) };
}

/** An endpoint's deliveries, oldest first. */
export async function deliveriesOf(api: Api, endpointId: string): Promise<Json[]> {
  const page = await api.get(`/api/webhooks/${endpointId}/deliveries?page_size=200`);
  expect(page.status, page.text).toBe(200);
  return itemsOf(page.body.results).toReversed();
}
