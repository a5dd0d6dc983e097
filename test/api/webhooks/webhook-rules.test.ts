import { expect, test } from 'vitest';
import type { SharedDependencies } from '../../../api/dependencies.ts';
import { createRequestTurns } from '../../../api/request-turns.ts';
import { addOperations } from '../../../api/router.ts';
import { createWebhook } from '../../../api/routes/webhooks/create-webhook.ts';
import { updateWebhook } from '../../../api/routes/webhooks/update-webhook.ts';
import { privateUrlErrors } from '../../../api/webhook-rules.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createHttpApp } from '../../../runtime/http/app.ts';
import { createRateLimiter } from '../../../runtime/http/rate-limit.ts';
import { createLog } from '../../../runtime/log.ts';
import { webhookCreate, webhookUpdate } from '../../../wire/webhooks.ts';

const errorsOf = (webhook_url: unknown, webhookAllowPrivate = false) =>
  privateUrlErrors({ webhook_url }, { webhookAllowPrivate });

test('a private literal is refused by field, unless private addresses are allowed; a name is not looked up here', () => {
  for (const url of ['http://127.0.0.1:8080/', 'https://[::ffff:10.0.0.1]/', 'http://0x7f.1/', 'http://100.64.0.1/']) {
    expect(errorsOf(url)).toEqual({ webhook_url: [expect.any(String)] });
    expect(errorsOf(url, true)).toEqual({});
  }
  for (const url of ['https://hooks.example/', 'http://localhost/', 'https://8.8.8.8/'])
    expect(errorsOf(url)).toEqual({});
});

test.each([undefined, null, 7, '', 'no url', ['http://127.0.0.1/']])(
  'what is no URL is told by its shape: %j',
  (sent) => {
    expect(errorsOf(sent)).toEqual({});
  },
);

test.each([
  ['POST', '/api/webhooks'],
  ['PATCH', '/api/webhooks/wh_1'],
])('%s %s names a private address along with the other bad fields', async (method, path) => {
  const caller = { keyId: 'key_1', accountId: 'acct_1', mode: 'live', scopes: ['admin'], rateLimit: null };
  const admission = { findKey: async () => caller, takeRequest: createRateLimiter(systemClock), clock: systemClock };
  const app = createHttpApp(createLog('test', 'silent'));
  // Nothing else is asked for before the fields are judged.
  addOperations(app, [createWebhook, updateWebhook], {
    ...admission,
    webhookAllowPrivate: false,
    requestTurns: createRequestTurns(),
  } as unknown as SharedDependencies);
  const body = JSON.stringify({ webhook_url: 'http://10.0.0.1/', triggers_in: ['x'], name: 5, colour: 'red' });
  const headers = { 'X-API-KEY': 'k', 'Content-Type': 'application/json', 'Content-Length': `${body.length}` };
  const answer = await app.request(path, { method, body, headers });
  const fields = (await answer.json()) as object;
  expect([answer.status, Object.keys(fields).toSorted()]).toEqual([
    422,
    ['colour', 'name', 'triggers_in.0', 'webhook_url'],
  ]);
});

test('white space around a URL is taken off, within it is refused', () => {
  const url = 'https://receiver.example/hooks';
  for (const shape of [webhookCreate, webhookUpdate]) {
    for (const sent of [` ${url}`, `${url}\n`, `\t${url}\r\n `])
      expect(shape.parse({ webhook_url: sent }).webhook_url).toBe(url);
    for (const sent of [
      'https://receiver.example/ho oks',
      'https://receiver.example/\nhooks',
      'https://a.example https://b.example',
    ])
      expect(shape.safeParse({ webhook_url: sent }).error?.issues.map(({ message }) => message)).toContain(
        'Must have no white space.',
      );
  }
});
