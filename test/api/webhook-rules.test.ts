import { expect, test } from 'vitest';
import { assertWebhookUrl } from '../../api/webhook-rules.ts';

test('a private literal is refused by field, unless private addresses are allowed; a name is not looked up here', () => {
  const refused = expect.objectContaining({ code: 'invalid', fields: { webhook_url: [expect.any(String)] } });
  for (const url of ['http://127.0.0.1:8080/', 'https://[::ffff:10.0.0.1]/', 'http://0x7f.1/', 'http://100.64.0.1/']) {
    expect(() => assertWebhookUrl(url, false)).toThrow(refused);
    expect(() => assertWebhookUrl(url, true)).not.toThrow();
  }
  for (const url of ['https://hooks.example/', 'http://localhost/', 'https://8.8.8.8/']) {
    expect(() => assertWebhookUrl(url, false)).not.toThrow();
  }
});
