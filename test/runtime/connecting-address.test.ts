import { expect, test } from 'vitest';
import { connectingAddress, trustedProxiesFromText } from '../../runtime/http/connecting-address.ts';

const NOBODY = '';

test.each([
  ['the connection tells', '203.0.113.7', undefined, NOBODY, '203.0.113.7'],
  ['what a caller writes is not looked at', '203.0.113.7', '10.0.0.1', NOBODY, '203.0.113.7'],
  ['not even from the network of the proxies', '10.0.0.9', '203.0.113.7', '10.0.0.1', '10.0.0.9'],
  ['a trusted proxy tells whom it was asked by', '10.0.0.1', '203.0.113.7', '10.0.0.1', '203.0.113.7'],
  ['and only that: what came before it is the caller’s', '10.0.0.1', '8.8.8.8, 203.0.113.7', '10.0.0.1', '203.0.113.7'],
  ['through two proxies', '10.0.0.1', '8.8.8.8, 203.0.113.7,10.0.0.2', '10.0.0.0/8', '203.0.113.7'],
  ['a proxy that tells nothing', '10.0.0.1', undefined, '10.0.0.1', '10.0.0.1'],
  ['nonsense is not an address', '10.0.0.1', 'unknown', '10.0.0.1', '10.0.0.1'],
  ['an IPv4 address in a socket for both families', '::ffff:10.0.0.1', '203.0.113.7', '10.0.0.1', '203.0.113.7'],
  ['IPv6', 'fd00::1', '2001:db8::7', 'fd00::/8', '2001:db8::7'],
])('%s', (_, remote, forwardedFor, trusted, expected) => {
  const proxies = trustedProxiesFromText(trusted);
  expect(proxies && connectingAddress(remote, forwardedFor, proxies)).toBe(expected);
});

test.each(['10.0.0.0/33', 'proxy', '10.0.0.1/', '::1/129', '10.0.0.1;10.0.0.2'])('%s is no list of proxies', (text) => {
  expect(trustedProxiesFromText(text)).toBeUndefined();
});
