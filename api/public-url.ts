import type { Context } from 'hono';
import { isHost } from '../runtime/http/broken-requests.ts';

/** The URL as the caller wrote it: the gateway forwards the host and protocol it was asked by. */
export function publicUrl(c: Context): URL {
  const url = new URL(c.req.url);
  const protocol = c.req.header('x-forwarded-proto');
  if (protocol === 'http' || protocol === 'https') url.protocol = protocol;
  // Of several proxies the first one has seen the caller.
  const host = c.req.header('x-forwarded-host')?.split(',')[0]?.trim();
  if (host && isHost(host)) {
    // Our own port is not theirs: a host without one means the protocol's.
    url.port = '';
    url.host = host;
  }
  return url;
}
