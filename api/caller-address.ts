import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { connectingAddress, type TrustedProxies } from '../runtime/http/connecting-address.ts';

/** The address that a request came from, by those alone whose word counts: ours and what TRUSTED_PROXIES names. */
export function callerAddress(c: Context, trustedProxies: TrustedProxies): string {
  return connectingAddress(getConnInfo(c).remote.address, c.req.header('x-forwarded-for'), trustedProxies);
}
