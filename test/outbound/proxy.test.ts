import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { type PostOptions, postWebhook } from '../../outbound/post-webhook.ts';
import { createBraintree } from '../../outbound/processors/braintree.ts';
import { createStripe } from '../../outbound/processors/stripe.ts';
import { publicLookup } from '../../outbound/public-address.ts';
import { startFakeBraintree } from '../processors/braintree-server.ts';
import { startFakeStripe } from '../processors/stripe-server.ts';
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts';

const PUBLIC = ['8.8.8.8', '2606:4700::1111'] as const;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function proxyOf(options?: Parameters<typeof startConnectProxy>[0]): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  closers.push(proxy.close);
  return proxy;
}

async function portOf(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function lookupOf(...addresses: string[]): LookupFunction {
  return publicLookup(async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
}

function post(url: string, proxy: URL, options: Partial<PostOptions> = {}) {
  const signal = new AbortController().signal;
  return postWebhook(
    new URL(url),
    '{"a":1}',
    {},
    { allowPrivate: false, signal, deadlineMs: 30_000, proxy, ...options },
  );
}

test('a webhook goes through a tunnel to the address that was checked here, not to a name', async () => {
  const seen: string[] = [];
  const leadTo = await portOf(
    createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.host}`);
      response.writeHead(204).end();
    }),
  );
  const proxy = await proxyOf({ leadTo });
  const withPassword = new URL(proxy.url);
  withPassword.username = 'us%40r';
  withPassword.password = 'pass word';
  const lookup = lookupOf(...PUBLIC);
  expect(await post('http://hooks.example/in?x=1', withPassword, { lookup })).toEqual({ statusCode: 204 });
  expect(await post('http://8.8.4.4:81/', proxy.url)).toEqual({ statusCode: 204 });
  expect(proxy.asked).toEqual(['8.8.8.8:80', '8.8.4.4:81']);
  expect(seen).toEqual(['POST /in?x=1 hooks.example', 'POST / 8.8.4.4:81']);
  expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('us@r:pass word').toString('base64')}`, undefined]);
});

test('TLS is spoken with the receiver, by its name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meterbook-tls-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=hooks.example', '-addext', 'subjectAltName=DNS:hooks.example'];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', cert, ...subject],
    ],
    { stdio: 'ignore' },
  );
  let name: unknown;
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    response.writeHead(200).end();
  });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket) => {
    name = socket.servername;
  });
  const proxy = await proxyOf({ leadTo: await portOf(server) });
  const outcome = await post('https://hooks.example/', proxy.url, { lookup: lookupOf('8.8.8.8') });
  // Nobody vouches for this certificate: it is checked as without a proxy.
  expect(outcome).toEqual({ error: expect.stringMatching(/^TLS failed: .*SELF_SIGNED/) });
  expect(proxy.asked).toEqual(['8.8.8.8:443']);
  expect([undefined, 'hooks.example']).toContain(name);
});

test('what leads inside is not asked for at all', async () => {
  const proxy = await proxyOf();
  const inside = { error: 'The host has a private address.' };
  expect(await post('http://10.0.0.1/', proxy.url)).toEqual(inside);
  expect(await post('http://hooks.example/', proxy.url, { lookup: lookupOf('8.8.8.8', '127.0.0.1') })).toEqual(inside);
  expect(await post('https://hooks.example/', proxy.url, { lookup: lookupOf('169.254.169.254') })).toEqual(inside);
  expect(proxy.asked).toEqual([]);
});

test('a proxy that refuses, hangs or is away: each is a failure, told without a word of our network', async () => {
  const lookup = lookupOf(...PUBLIC);
  const refusing = await proxyOf({ answer: 403 });
  expect(await post('http://hooks.example/', refusing.url, { lookup })).toEqual({
    error: 'The host cannot be reached.',
  });
  // One address after the other.
  expect(refusing.asked).toEqual(['8.8.8.8:80', '[2606:4700::1111]:80']);
  const hanging = new URL(`http://127.0.0.1:${await portOf(createServer())}`);
  const silent = createServer();
  silent.on('connect', (_, socket) => closers.push(() => socket.destroy()));
  hanging.port = String(await portOf(silent));
  expect(await post('http://hooks.example/', hanging, { lookup, deadlineMs: 300 })).toEqual({
    error: 'No answer within 0.3 s.',
  });
  expect(await post('http://hooks.example/', new URL('http://127.0.0.1:9'), { lookup })).toEqual({
    error: 'The connection was refused.',
  });
});

test.each(['stripe', 'braintree'] as const)('%s is called through it', async (name) => {
  const fake = await (name === 'stripe' ? startFakeStripe() : startFakeBraintree());
  closers.push(() => fake.stop());
  const proxy = await proxyOf();
  const create = name === 'stripe' ? createStripe : createBraintree;
  const processor = create({ apiBase: fake.url, ...fake.settings, proxy: proxy.url });
  const grant = await processor.exchangeCode(name === 'stripe' ? 'ac_m1' : 'bt_code_m1');
  fake.addPayer('payer', 'good');
  const method = await processor.findPaymentMethod(grant, 'payer');
  expect(method).not.toBeNull();
  const outcome = await processor.charge(grant, {
    ...{ attemptId: 'attempt_1', invoiceId: 'inv_1', payer: 'payer', paymentMethod: String(method) },
    ...{ amount: decimal('10.5'), currency: 'USD', description: 'INV-000001' },
  });
  expect(outcome.status).toBe('succeeded');
  expect(proxy.asked.length).toBeGreaterThanOrEqual(3);
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(fake.url).host]));
});
