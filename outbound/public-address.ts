import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses kept for documentation: nobody is there, so nobody is reached through them. */
const DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'].map((text) =>
  ipaddr.parseCIDR(text),
);

/** A name that leads inside, or a literal address of the inside. */
export class PrivateAddress extends Error {
  constructor() {
    super('The host has a private address.');
  }
}

/**
 * Whether an address may be sent to: what is neither private, loopback, link-local, shared nor unspecified, nor reserved,
 * multicast or a tunnel that leads to any of these (contract 11). `text` is an IPv4 or IPv6 address without brackets.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (DOCUMENTATION.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits)))
    return true;
  return address.range() === 'unicast';
}

/**
 * Whether a URL's host is an address, however it is spelled, that may not be sent to; a name never is, it is resolved when it
 * is sent to. WHATWG parsing has turned decimal, octal, hexadecimal and short forms into the usual one.
 */
export function hasPrivateHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) && !isPublicAddress(host);
}

type LookupAll = (
  name: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for a connection that refuses names of which any address is private. The addresses it has checked are the very
 * ones that are connected to, so a name that changes its mind in between gains nothing.
 */
export function publicLookup(resolve: LookupAll = dns.lookup): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '');
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) return done(new PrivateAddress(), '');
      if (options.all) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}
