import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import { type Api, api, itemsOf, type Json } from '../stack/api.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { deliveriesOf, makeEndpoint } from '../stack/webhook-receiver.ts';
import { retryNow } from '../workflows/look-again.ts';
import { type NameServer, startNameServer } from './name-server.ts';

const PRIVATE = 'The host has a private address.';
/** Public, and nobody is there. */
const NOBODY = '192.0.2.1';
const NAMES = {
  'inside.test': [['127.0.0.1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'v6.test': [['::1']],
  'metadata.test': [['169.254.169.254']],
  'one-of-two.test': [[NOBODY, '127.0.0.1']],
  'changing.test': [[NOBODY], ['127.0.0.1']],
};
/** Two attempts, each as long as it may take. */
const ATTEMPTS_MS = 80_000;

/** Of a stack as in production: webhooks do not go to private addresses, whatever the name server says. */
export async function asInProduction() {
  const names = await startNameServer(NAMES);
  const environment = {
    WEBHOOK_ALLOW_PRIVATE: 'false',
    TEST_NAME_SERVER: names.address,
    NODE_OPTIONS: `--import=${new URL('ask-test-names.ts', import.meta.url).href}`,
  };
  return { names, environment };
}

/** `find`: the stack, once it has started, and the name server that it asks. */
export function testInside(find: () => { stack: Stack; names: NameServer }): void {
  let inside: Server;
  let call: Api;
  let names: NameServer;
  let stack: Stack;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    inside = createServer((_, response) => void response.end()).on('connection', () => {
      connections += 1;
    });
    port = await new Promise((resolve) => {
      inside.listen(0, () => resolve((inside.address() as AddressInfo).port));
    });
    ({ stack, names } = find());
    call = api(stack.file().api_key, stack.file().base_url);
  });
  afterAll(() => void inside?.close());

  test('a literal is refused along with whatever else is wrong, when it is made and when it is changed', async () => {
    const { id } = await makeEndpoint(call, 'https://hooks.example/');
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '169.254.169.254']) {
      const body = { webhook_url: `http://${host}:${port}/`, triggers_in: [] };
      const answers = [await call.post('/api/webhooks', body), await call.patch(`/api/webhooks/${id}`, body)];
      for (const { status, body: fields } of answers)
        expect([host, status, Object.keys(fields).toSorted()]).toEqual([host, 422, ['triggers_in', 'webhook_url']]);
    }
  });

  test('not a byte goes inside by a name: however it is resolved, and if its answer changes', {
    timeout: 120_000,
  }, async () => {
    const hosts = [...Object.keys(NAMES), 'localhost', 'hooks.localhost'];
    const before = connections;
    names.begin();
    const endpoints = await Promise.all(
      hosts.map(async (host) => ({ host, ...(await makeEndpoint(call, `http://${host}:${port}/`)) })),
    );
    const attempts = async (id: string, count: number) => {
      const [delivery] = await waitUntil(
        () => deliveriesOf(call, id),
        ([one]) => attemptsOf(one).length >= count,
        ATTEMPTS_MS,
      );
      const errors = attemptsOf(delivery).map(({ error }) => String(error));
      return { errors, deliveryId: String(delivery?.delivery_id) };
    };
    for (const { id } of endpoints) expect((await call.post(`/api/webhooks/${id}/test`)).status).toBe(200);
    for (const { host, id } of endpoints.filter(({ host }) => host !== 'changing.test')) {
      expect([host, (await attempts(id, 1)).errors[0]]).toEqual([host, PRIVATE]);
    }
    // The second attempt is answered otherwise.
    const changing = String(endpoints.find(({ host }) => host === 'changing.test')?.id);
    await retryNow(stack.file(), stack.file().account_id, (await attempts(changing, 1)).deliveryId);
    const [first, second] = (await attempts(changing, 2)).errors;
    expect(first).not.toBe(PRIVATE);
    expect(second).toBe(PRIVATE);
    for (const name of Object.keys(NAMES)) expect([name, names.asked(name) > 0]).toEqual([name, true]);
    expect(connections).toBe(before);
    // It could have been reached.
    await fetch(`http://127.0.0.1:${port}/`);
    expect(connections).toBe(before + 1);
  });
}

function attemptsOf(delivery: Json | undefined): Json[] {
  return delivery ? itemsOf(delivery.attempts) : [];
}
