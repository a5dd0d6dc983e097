import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../sdk/typescript/source/webhooks.ts';

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another one of 24 bytes.').toString('base64')}`;
const BODY = JSON.stringify({
  id: 'evt_1',
  type: 'invoice.paid',
  timestamp: '2026-11-20T10:00:00.000Z',
  data: { invoice_id: 'inv_1', note: 'é 😀' },
});

/** As the service signs. */
function signed({ secret = SECRET, body = BODY, ageSeconds = 0 } = {}) {
  const time = Math.floor(Date.now() / 1_000) - ageSeconds;
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(time),
    'webhook-signature': new Webhook(secret).sign('evt_1', new Date(time * 1_000), body),
  };
}

describe('verifyWebhook', () => {
  test('answers the event, typed by its type', async () => {
    const event = await verifyWebhook(BODY, signed(), SECRET);
    expect(event).toEqual(JSON.parse(BODY));
    if (event.type !== 'invoice.paid') throw new Error(event.type);
    const id: string | null = event.data.invoice_id;
    expect(id).toBe('inv_1');
    // @ts-expect-error: an invoice has no such field
    expect(event.data.no_such_field).toBeUndefined();
  });

  test('of bytes; by headers as a server, or the Fetch API, gives them; of several signatures; of several secrets', async () => {
    const headers = signed();
    const several = { ...headers, 'webhook-signature': `v1,bm8= v2,x ${headers['webhook-signature']}` };
    const node = {
      'Webhook-Id': 'evt_1',
      'webhook-timestamp': headers['webhook-timestamp'],
      'webhook-signature': [headers['webhook-signature']],
    };
    await expect(verifyWebhook(Buffer.from(BODY), headers, SECRET)).resolves.toMatchObject({ id: 'evt_1' });
    await expect(verifyWebhook(BODY, new Headers(headers), SECRET)).resolves.toMatchObject({ id: 'evt_1' });
    await expect(verifyWebhook(BODY, node, SECRET)).resolves.toMatchObject({ id: 'evt_1' });
    await expect(verifyWebhook(BODY, several, SECRET)).resolves.toMatchObject({ id: 'evt_1' });
    await expect(verifyWebhook(BODY, headers, [OTHER, SECRET])).resolves.toMatchObject({ id: 'evt_1' });
  });

  test.each([
    ['another secret', BODY, signed(), OTHER, {}],
    ['no secret', BODY, signed(), [], {}],
    ['another body', `${BODY} `, signed(), SECRET, {}],
    ['a byte order mark', `\ufeff${BODY}`, signed(), SECRET, {}],
    ['no id', BODY, { ...signed(), 'webhook-id': undefined }, SECRET, {}],
    ['no time', BODY, { ...signed(), 'webhook-timestamp': undefined }, SECRET, {}],
    ['no signature', BODY, { ...signed(), 'webhook-signature': '' }, SECRET, {}],
    ['another id', BODY, { ...signed(), 'webhook-id': 'evt_2' }, SECRET, {}],
    ['a time that is none', BODY, { ...signed(), 'webhook-timestamp': 'now' }, SECRET, {}],
    [
      'another time',
      BODY,
      { ...signed(), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 7) },
      SECRET,
      {},
    ],
    [
      'a version that is not known',
      BODY,
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2') },
      SECRET,
      {},
    ],
    ['too old', BODY, signed({ ageSeconds: 310 }), SECRET, {}],
    ['too new', BODY, signed({ ageSeconds: -310 }), SECRET, {}],
    ['older than it may be here', BODY, signed({ ageSeconds: 20 }), SECRET, { toleranceSeconds: 10 }],
  ])('refuses %s', async (_what, body, headers, secret, options) => {
    await expect(verifyWebhook(body, headers, secret, options)).rejects.toThrow(WebhookVerificationError);
  });

  test('takes an old one where it may', async () => {
    const replayed = verifyWebhook(BODY, signed({ ageSeconds: 86_400 }), SECRET, { toleranceSeconds: 100_000 });
    await expect(replayed).resolves.toMatchObject({ id: 'evt_1' });
  });
});
