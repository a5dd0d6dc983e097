import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Attack, type Flood, startFlood } from './flood.ts';
import { made } from './making.ts';

/** As many as there were in the attack that was reported; a release with a bound takes fewer. */
const ENDPOINTS = 300;
/** Events of one customer go to an endpoint one after another. */
const CUSTOMERS = 40;

/** Endpoints that accept connections and never answer, and a few events a second for all of them. */
export const hangingWebhooks: Attack = async ({ base, key, api }) => {
  const server = createServer((request) => void request.resume());
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let i = 0; i < ENDPOINTS; i++) {
    const { status } = await api.post('/api/webhooks', { webhook_url: `${url}/${i}`, triggers_in: ['credit.created'] });
    if (status === 409) break;
  }
  const requests: Flood['requests'] = [];
  for (let i = 0; i < CUSTOMERS; i++) {
    await made(api, '/api/customers/', { customer_id: `told-${i}`, email: 'a@b.example' });
    const body = JSON.stringify({ customer_id: `told-${i}`, amount: 1 });
    const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' };
    requests.push({ url: `${base}/api/credits`, method: 'POST', headers, body });
  }
  return () => {
    const flood = startFlood({ requests, connections: 1, pauseMs: 200 });
    const stop = async () => {
      const answers = await flood.stop();
      server.closeAllConnections();
      return answers;
    };
    return { stop };
  };
};
