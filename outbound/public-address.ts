import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Addresses kept for documentation: nobody is there, so nobody is reached through them. */
const DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'];
/**
 * Networks that look public and lead inside where Meterbook runs at that provider. Their other special addresses are
 * link-local, private, shared or reserved, and need no row here.
 */
const OF_PROVIDERS: Record<string, string> = {
  '168.63.129.16/32': 'Azure: the host of the machine, with its DNS, DHCP, certificates and extensions',
  '161.26.0.0/16': 'IBM Cloud: services of its private network, as DNS and time',
  '166.8.0.0/14': 'IBM Cloud: endpoints of its private network',
  '199.36.153.4/30': 'Google Cloud: restricted.googleapis.com, routed within a VPC alone',
  '199.36.153.8/30': 'Google Cloud: private.googleapis.com, routed within a VPC alone',
  '35.199.192.0/19': 'Google Cloud: its DNS proxies within a VPC',
};
/** All of IPv6 that is assigned for the public; the library takes old forms of IPv4 outside of it for ordinary addresses. */
const PUBLIC_IPV6 = '2000::/3';

/** A name that leads inside, or a literal address of the inside. */
export class PrivateAddress extends Error {
  constructor() {
    super('The host has a private address.');
  }
}

/**
 * Whether an address may be sent to: what is neither private, loopback, link-local, shared nor unspecified, nor reserved,
 * multicast, special at a cloud provider, of this machine itself, or a tunnel that leads to any of these
 * (spec/webhooks#addresses). `text` is an IPv4 or IPv6 address without brackets.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (isOfThisMachine(address)) return false;
  if (DOCUMENTATION.some((network) => isIn(address, network))) return true;
  if (Object.keys(OF_PROVIDERS).some((network) => isIn(address, network))) return false;
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, PUBLIC_IPV6));
}

/** What listens on all addresses of this machine is reached by its public ones, past any firewall in front of it. */
function isOfThisMachine(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((one) => ipaddr.process(one.address).toNormalizedString() === address.toNormalizedString());
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [first, bits] = ipaddr.parseCIDR(network);
  return first.kind() === address.kind() && address.match(first, bits);
}

/**
 * Whether a URL's host is an address, however it is spelled, that may not be sent to; a name never is, it is resolved when it
 * is sent to. WHATWG parsing has turned decimal, octal, hexadecimal and short forms into the usual one.
 */
export function hasPrivateHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) && !isPublicAddress(host);
}

export type Address = { address: string; family: number };
type Resolve = (name: string) => Promise<Address[]>;

/**
 * A `lookup` for a connection that refuses names of which any address is private. The addresses it has checked are the very
 * ones that are connected to, so a name that changes its mind in between gains nothing.
 */
export function publicLookup(resolve: Resolve = resolveByDns): LookupFunction {
  return (name, options, done) => {
    findPublic(resolve, name).then(
      ([first, ...others]) => {
        if (options.all) done(null, [first, ...others]);
        else done(null, first.address, first.family);
      },
      (error) => done(error, ''),
    );
  };
}

async function findPublic(resolve: Resolve, name: string): Promise<[Address, ...Address[]]> {
  // Always this machine, whatever a name server says (RFC 6761).
  if (/(^|\.)localhost\.?$/.test(name)) throw new PrivateAddress();
  const [first, ...others] = await resolve(name);
  if (!first || ![first, ...others].every(({ address }) => isPublicAddress(address))) throw new PrivateAddress();
  return [first, ...others];
}

/** A name server that is slow gets a second question; the attempt's own deadline ends both. */
const resolver = new dns.Resolver({ timeout: 3_000, tries: 2 });

/**
 * Both families, of which one is enough. By questions of our own: the system's lookup takes one of the few threads that all
 * of the process shares, so names that are never answered would hold up everybody's.
 */
async function resolveByDns(name: string): Promise<Address[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  const of = (answer: PromiseSettledResult<string[]>, family: number) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
  return [...of(v4, 4), ...of(v6, 6)];
}
