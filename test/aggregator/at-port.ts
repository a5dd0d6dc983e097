import type { AddressInfo, Server } from 'node:net';

/** The address of a proxy that listens on this machine: as the one of its target, with user and password. */
export function atPort(target: string, server: Server): string {
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href.replace(/\/$/, '');
}
