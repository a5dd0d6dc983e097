import { BlockList, isIP } from 'node:net';

/** The proxies in front of a process whose `X-Forwarded-*` headers are believed. */
export type TrustedProxies = Pick<BlockList, 'check'>;

/** Addresses and networks as TRUSTED_PROXIES lists them, `10.0.0.0/8,::1`; undefined where something is neither. */
export function trustedProxiesFromText(text: string): TrustedProxies | undefined {
  const trusted = new BlockList();
  for (const part of text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)) {
    const [address = '', bits] = part.split('/');
    const family = familyOf(address);
    const most = family === 'ipv4' ? 32 : 128;
    if (family === undefined || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
      return undefined;
    }
    trusted.addSubnet(address, Number(bits ?? most), family);
  }
  return trusted;
}

/**
 * The address of whoever asks: of the other end of the connection; where that is a trusted proxy, of whom that says it was
 * asked by (the last of `X-Forwarded-For`), and so on. What others write into that header is never looked at.
 */
export function connectingAddress(
  remote: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  let address = plain(remote ?? '');
  for (const before of (forwardedFor ?? '').split(',').reverse()) {
    if (!isTrustedProxy(address, trusted)) break;
    const told = plain(before.trim());
    if (familyOf(told) === undefined) break;
    address = told;
  }
  return address;
}

/** Returns whether an address is one of TRUSTED_PROXIES. */
export function isTrustedProxy(remote: string | undefined, trusted: TrustedProxies): boolean {
  const address = plain(remote ?? '');
  const family = familyOf(address);
  return family !== undefined && trusted.check(address, family);
}

/** An IPv4 address as such, where a socket for both families shows it as an IPv6 one. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
