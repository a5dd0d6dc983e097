import { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';

/** How connections through a proxy are made. */
export type Tunnels = {
  /** The proxy (`OUTBOUND_PROXY_URL`), with user name and password where it wants them. */
  proxy: URL;
  /** Resolves and checks a name here: the proxy is asked for the address. The system's own lookup, if absent. */
  lookup?: LookupFunction | undefined;
  /** Gives an attempt up. */
  signal?: AbortSignal;
};

/** A proxy does not give up by itself where nobody answers behind it. */
const CONNECT_DEADLINE_MS = 15_000;

/** The proxy answered, and refused the tunnel. */
export class ProxyRefusal extends Error {
  readonly code = 'EPROXYREFUSED';

  constructor(status: number | undefined) {
    super(`The proxy answered ${status} to CONNECT.`);
  }
}

/** Returns an agent of `protocol` whose connections each go through a tunnel of their own (spec/webhooks#proxy). */
export function tunnelAgent(protocol: string, tunnels: Tunnels): http.Agent {
  return protocol === 'https:' ? new TlsTunnelAgent(tunnels) : new TunnelAgent(tunnels);
}

type Connect = (error: Error | null, stream: Duplex) => void;
type Target = { host?: string | null | undefined; port?: number | string | null | undefined };

class TunnelAgent extends http.Agent {
  readonly #tunnels: Tunnels;

  constructor(tunnels: Tunnels) {
    super();
    this.#tunnels = tunnels;
  }

  override createConnection(target: Target, done?: Connect): undefined {
    connect(this.#tunnels, target, (socket) => socket, done);
  }
}

class TlsTunnelAgent extends https.Agent {
  readonly #tunnels: Tunnels;

  constructor(tunnels: Tunnels) {
    super();
    this.#tunnels = tunnels;
  }

  override createConnection(target: Target & tls.ConnectionOptions, done?: Connect): undefined {
    const { servername, ca, rejectUnauthorized } = target;
    const options = {
      ...(servername && { servername }),
      ...(ca !== undefined && { ca }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    };
    connect(this.#tunnels, target, (socket) => tls.connect({ ...options, socket }), done);
  }
}

function connect(tunnels: Tunnels, target: Target, wrap: (socket: Duplex) => Duplex, done: Connect | undefined): void {
  openTunnel(tunnels, target.host ?? '', Number(target.port)).then(
    (socket) => done?.(null, wrap(socket)),
    // Whoever waits for a connection looks at the error first.
    (error) => done?.(error, undefined as never),
  );
}

/** Asks the proxy for the addresses of a host, one after another until one can be reached. */
async function openTunnel(tunnels: Tunnels, host: string, port: number): Promise<Duplex> {
  const deadline = AbortSignal.timeout(CONNECT_DEADLINE_MS);
  const signal = tunnels.signal ? AbortSignal.any([tunnels.signal, deadline]) : deadline;
  let failure: unknown;
  for (const address of await addressesOf(host, tunnels.lookup ?? systemLookup)) {
    try {
      return await askForTunnel(
        tunnels.proxy,
        address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
        signal,
      );
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw failure;
}

function addressesOf(host: string, lookup: LookupFunction): Promise<string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve((Array.isArray(found) ? found : [{ address: found }]).map(({ address }) => address));
    });
  });
}

function askForTunnel(proxy: URL, authority: string, signal: AbortSignal): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const client = proxy.protocol === 'https:' ? https : http;
  const request = client.request(new URL(proxy.origin), {
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
    agent: false,
    signal,
  });
  request.on('connect', (response, socket) => {
    if (response.statusCode === 200) return resolve(socket);
    socket.destroy();
    reject(new ProxyRefusal(response.statusCode));
  });
  request.on('error', reject);
  request.on('close', () => reject(new ProxyRefusal(undefined)));
  request.end();
  return promise;
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const given = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(given).toString('base64')}` };
}
