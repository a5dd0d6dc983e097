import type { Context } from 'hono';
import { callerAddress } from './caller-address.ts';
import type { SharedDependencies } from './dependencies.ts';
import { networkOf } from './sessions/failed-logins.ts';

const NEVER_GIVEN_UP = new AbortController().signal;

/**
 * Looks something up for a caller whose account is not known, in the turn of its address.
 * @throws DomainError `unavailable` if too many calls from there wait, or this one has waited too long
 */
export function keyless<T>(
  c: Context,
  { requestTurns, trustedProxies }: Pick<SharedDependencies, 'requestTurns' | 'trustedProxies'>,
  lookUp: () => Promise<T>,
): Promise<T> {
  return requestTurns.keyless(networkOf(callerAddress(c, trustedProxies)), NEVER_GIVEN_UP, lookUp);
}
