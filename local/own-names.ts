import type { IncomingHttpHeaders } from 'node:http';

/** The names under which this machine knows itself; any other one has been pointed here by somebody else's name server. */
export const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Addresses that stand for every address of this machine, which then reaches itself by loopback. */
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Returns the host, as it stands in a URL, by which this machine reaches a server that listens on `host`. */
export function ownHost(host: string): string {
  if (EVERY_ADDRESS.includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether a request names this machine, at whatever port (it may come through another): a page whose name was pointed here sends its own. */
export function namesUs({ host = '' }: IncomingHttpHeaders): boolean {
  return OWN_NAMES.includes(host.replace(/:\d+$/, ''));
}
