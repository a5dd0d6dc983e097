import { isHost } from './broken-requests.ts';
import { isTrustedProxy, type TrustedProxies } from './connecting-address.ts';

/** Reads a header of a request; undefined if the request does not have it. */
type ReadHeader = (name: string) => string | undefined;

/** A scheme, a host and an optional port, and nothing behind them. */
const ORIGIN = /^https?:\/\/[^/?#\\@\s]+$/i;

/** Ports that no link shows: one of them is the default of the scheme, the other one is that of a proxy behind the outermost. */
const PORTS_LEFT_OUT = new Set(['80', '443']);
const MAX_PORT = 65_535;

/** Parses PUBLIC_URL. Returns undefined if the text is anything but an origin, as in `https://billing.example`. */
export function originFromText(text: string): string | undefined {
  return ORIGIN.test(text) ? URL.parse(text)?.origin : undefined;
}

/**
 * Returns `asked` as the caller wrote it, by the `X-Forwarded-*` headers that the proxies in front have set
 * (spec/service#addresses). The headers count only if `remote`, the other end of the connection, is a trusted proxy.
 */
export function forwardedUrl(
  asked: URL,
  header: ReadHeader,
  { remote, trusted }: { remote: string | undefined; trusted: TrustedProxies },
): URL {
  if (!isTrustedProxy(remote, trusted)) return asked;
  const scheme = firstOf(header('x-forwarded-proto'))?.toLowerCase();
  const host = firstOf(header('x-forwarded-host'));
  const { name, port } = hostAndPort(host && isHost(host) ? host : asked.host);
  const shownPort = port ?? portOf(firstOf(header('x-forwarded-port')));
  const protocol = scheme === 'http' || scheme === 'https' ? `${scheme}:` : asked.protocol;
  const suffix = shownPort === undefined || PORTS_LEFT_OUT.has(shownPort) ? '' : `:${shownPort}`;
  const told = URL.parse(`${protocol}//${name}${suffix}`);
  return told ? withOrigin(asked, told.origin) : asked;
}

/** Returns the same path and query at another origin. */
export function withOrigin(url: URL, origin: string): URL {
  return new URL(`${origin}${url.pathname}${url.search}`);
}

/** Of several proxies the first value is from the outermost one, which has seen the caller. */
function firstOf(text: string | undefined): string | undefined {
  return text?.split(',', 1)[0]?.trim() || undefined;
}

function hostAndPort(host: string): { name: string; port: string | undefined } {
  const [, name = host, port] = /^(.*):(\d{1,5})$/.exec(host) ?? [];
  return { name, port: portOf(port) };
}

function portOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1 && port <= MAX_PORT ? String(port) : undefined;
}
