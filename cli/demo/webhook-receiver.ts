import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '../../sdk/typescript/source/webhooks.ts';
import type { ApiCaller } from './api-caller.ts';
import { tell } from './screen.ts';

/** A receiver as a caller would write it: what it got, verified, and how to end it. */
export type DemoReceiver = {
  /** Types of the events so far, in the order of arrival. */
  types: string[];
  /** Resolves when so many events of this type have come, or after ten seconds. */
  waitFor(type: string, count: number): Promise<void>;
  stop(): Promise<void>;
};

const WAIT_MS = 10_000;

/**
 * Listens on this machine, has the account's events sent there, and verifies each. Undefined where the stack sends nothing to
 * private addresses, as in production.
 */
export async function startDemoReceiver(api: ApiCaller): Promise<DemoReceiver | undefined> {
  const types: string[] = [];
  let secret = '';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    try {
      const event = await verifyWebhook(body, request.headers, secret);
      types.push(event.type);
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  type Endpoint = { webhook_endpoint_id: string; webhook_secret: string };
  const endpoint = await api<Endpoint>('POST', '/api/webhooks', { name: 'Demo', webhook_url: url }).catch((error) => {
    close();
    if (!String(error).includes('webhook_url')) throw error;
    tell('This stack sends no webhooks to private addresses: no receiver is shown.');
  });
  if (!endpoint) return undefined;
  secret = endpoint.webhook_secret;
  tell(`a webhook receiver at ${url}, with a secret of its own`);

  return {
    types,
    waitFor: async (type, count) => {
      const isThere = () => types.filter((one) => one === type).length >= count;
      for (let waited = 0; waited < WAIT_MS && !isThere(); waited += 100) await sleep(100);
    },
    stop: async () => {
      await api('DELETE', `/api/webhooks/${endpoint.webhook_endpoint_id}`);
      close();
    },
  };
}
