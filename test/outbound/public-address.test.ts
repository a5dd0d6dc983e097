import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { hasPrivateHost, isPublicAddress, publicLookup } from '../../outbound/public-address.ts';

/** Literal hosts that lead inside, in every spelling that a URL may have of them (B5). */
const INSIDE = [
  ...['127.0.0.1', '127.255.255.254', '127.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '0177.0.0.1'],
  ...['127.0.0.1.', '①②⑦.0.0.1', '127。0。0。1', '127.0.0.1%2e', '0', '0.0.0.0', '0.1.2.3'],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '3232235777', '0300.0250.1.1'],
  ...['169.254.169.254', '0xa9fea9fe', '100.64.0.1', '100.127.255.255', '192.0.0.192', '198.18.0.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]'],
  ...['[2002:7f00:1::]', '[2002:a00:1::1]', '[2001:0:7f00:1::]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd12::1]'],
  ...['[ff02::1]', '[100::1]'],
  // Special at cloud providers.
  ...[
    '168.63.129.16',
    '2822734096',
    '[::ffff:168.63.129.16]',
    '[64:ff9b::a83f:8110]',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ...[
    '169.254.170.2',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '161.26.0.10',
    '166.9.1.1',
    '199.36.153.5',
    '199.36.153.11',
  ],
  ...['35.199.192.1', '192.88.99.1', '192.31.196.1', '192.52.193.1', '[2001:2::1]', '[2001:20::1]', '[5f00::1]'],
];

const OUTSIDE = [
  ...['8.8.8.8', '1.1', '134744072', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.167.1.1'],
  ...[
    '11.0.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.1.1',
    '203.0.113.9',
    '[2606:4700::1111]',
    '[::ffff:8.8.8.8]',
  ],
  ...['168.63.129.15', '168.63.129.17', '199.36.153.1', '161.27.0.1', '35.199.191.255'],
  ...['example.com', 'localhost', 'ten.0.0.1.example', '127.0.0.1.nip.io', 'xn--bcher-kva.example'],
];

test.each(INSIDE)('http://%s/ is a private host', (host) => {
  for (const url of [`http://${host}/`, `https://${host}:8443/x`]) expect(hasPrivateHost(new URL(url))).toBe(true);
});

test.each(OUTSIDE)('http://%s/ is not: it is public, or a name', (host) => {
  expect(hasPrivateHost(new URL(`http://${host}/`))).toBe(false);
});

test('what is no address is not a public one', () => {
  for (const text of ['', 'example.com', '300.1.1.1', '[8.8.8.8]']) expect(isPublicAddress(text)).toBe(false);
});

test('no address of this machine is public', () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  expect(own.length).toBeGreaterThan(0);
  for (const { address } of own) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

describe('a lookup', () => {
  const lookup = (addresses: string[], options: object, name = 'hooks.example') =>
    new Promise<unknown>((resolve) => {
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      publicLookup(async () => found)(name, options, (error, ...answer) => resolve(error?.message ?? answer));
    });

  test('gives the addresses it has checked', async () => {
    const [v4, v6] = ['8.8.8.8', '2606:4700::1111'];
    expect(await lookup([v4, v6], {})).toEqual([v4, 4]);
    expect(await lookup([v4, v6], { all: true })).toEqual([
      [
        { address: v4, family: 4 },
        { address: v6, family: 6 },
      ],
    ]);
  });

  test('refuses a name with any private address, and one with none', async () => {
    for (const inside of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:10.0.0.1', '169.254.169.254', 'fd00::1']) {
      for (const options of [{}, { all: true }]) {
        expect(await lookup(['8.8.8.8', inside], options)).toBe('The host has a private address.');
      }
    }
    expect(await lookup([], {})).toBe('The host has a private address.');
  });

  test('knows that localhost is this machine', async () => {
    for (const name of ['localhost', 'localhost.', 'a.localhost']) {
      expect(await lookup(['8.8.8.8'], {}, name)).toBe('The host has a private address.');
    }
  });

  test('passes on why a name has no address', async () => {
    const failed = new Promise((resolve) => {
      publicLookup(async () => {
        throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      })('hooks.example', {}, (error) => resolve(error?.code));
    });
    expect(await failed).toBe('ENOTFOUND');
  });
});
