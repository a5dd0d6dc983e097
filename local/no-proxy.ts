/** Where the processes of a stack find each other. */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/**
 * Returns the variables that keep calls to this machine away from a proxy of the environment, beside the hosts that it
 * exempts already. Programs read one spelling or the other. The gateway may listen on an address that is not loopback.
 */
export function noProxy(environment: Record<string, string | undefined>): { NO_PROXY: string; no_proxy: string } {
  const { NO_PROXY, no_proxy, HOST } = environment;
  const own = HOST ? [...LOOPBACK, HOST] : LOOPBACK;
  const exempt = (text: string | undefined) => [...(text ? [text] : []), ...own].join(',');
  return { NO_PROXY: exempt(NO_PROXY || no_proxy), no_proxy: exempt(no_proxy || NO_PROXY) };
}
