import { expect, test } from 'vitest';
import { trustedProxiesFromText } from '../../runtime/http/connecting-address.ts';
import { forwardedUrl, originFromText } from '../../runtime/http/public-url.ts';

const trusted = trustedProxiesFromText('10.0.0.1');

/** Returns the URL of a request for `asked` that comes from `remote` with the given X-Forwarded-* headers. */
function seen(
  told: { host?: string; proto?: string; port?: string },
  { asked = 'http://edge:8080/a?b=1', remote = '10.0.0.1' } = {},
) {
  if (!trusted) throw new Error('not a list of proxies');
  const headers = new Map(Object.entries(told).map(([name, value]) => [`x-forwarded-${name}`, value]));
  return forwardedUrl(new URL(asked), (name) => headers.get(name), { remote, trusted }).href;
}

test.each([
  ['host and protocol', { host: 'billing.example', proto: 'https' }, 'https://billing.example'],
  [
    'the first value of each',
    { host: 'billing.example, b:1', proto: 'https, http', port: '8443,1' },
    'https://billing.example:8443',
  ],
  ['in upper case', { host: 'Billing.Example', proto: 'HTTPS' }, 'https://billing.example'],
  ['a port of its own', { host: 'billing.example', proto: 'https', port: '8443' }, 'https://billing.example:8443'],
  [
    'a port in the host wins',
    { host: 'billing.example:9443', proto: 'https', port: '8443' },
    'https://billing.example:9443',
  ],
  ['443 is left out', { host: 'billing.example', proto: 'https', port: '443' }, 'https://billing.example'],
  [
    '80 is left out, of https too',
    { host: 'billing.example:80', proto: 'https', port: '8443' },
    'https://billing.example',
  ],
  ['an IPv6 host', { host: '[2001:db8::1]', proto: 'https', port: '8443' }, 'https://[2001:db8::1]:8443'],
  ['an IPv6 host with a port', { host: '[2001:db8::1]:81', port: '8443' }, 'http://[2001:db8::1]:81'],
  ['only the protocol: the host is the one that was asked', { proto: 'https' }, 'https://edge:8080'],
  ['nothing', {}, 'http://edge:8080'],
  ['a port that is none', { host: 'billing.example', port: '65536' }, 'http://billing.example'],
  ['port 0', { host: 'billing.example', port: '0' }, 'http://billing.example'],
  ['another protocol', { host: 'billing.example', proto: 'javascript' }, 'http://billing.example'],
  ['a host that is none', { host: 'a.example/../x?y', proto: 'https' }, 'https://edge:8080'],
  ['a host with a user', { host: 'user@a.example' }, 'http://edge:8080'],
])('a trusted proxy reports %s', (_, told, origin) => {
  expect(seen(told)).toBe(`${origin}/a?b=1`);
});

test('a proxy that keeps the host reports the port and protocol alone', () => {
  const asked = 'http://billing.example/a';
  expect(seen({ proto: 'https', port: '8443' }, { asked })).toBe('https://billing.example:8443/a');
  expect(seen({ proto: 'https', port: '443' }, { asked })).toBe('https://billing.example/a');
});

test('nobody else is believed', () => {
  const told = { host: 'evil.example', proto: 'https', port: '8443' };
  for (const remote of ['10.0.0.2', '203.0.113.7', '']) {
    expect(seen(told, { remote })).toBe('http://edge:8080/a?b=1');
  }
});

test.each([
  ['https://billing.example', 'https://billing.example'],
  ['HTTPS://Billing.Example:8443', 'https://billing.example:8443'],
  ['https://billing.example:443', 'https://billing.example'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('%s is an origin', (text, origin) => {
  expect(originFromText(text)).toBe(origin);
});

test.each([
  ...['https://billing.example/', 'https://billing.example/meterbook', 'https://billing.example?a', 'billing.example'],
  ...[
    'https://user@billing.example',
    'ftp://billing.example',
    'https://',
    'https://a b',
    'https://billing.example:99999',
  ],
])('%s is no origin without a path', (text) => {
  expect(originFromText(text)).toBeUndefined();
});
