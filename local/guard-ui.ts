import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { platform } from 'node:os';
import { namesUs, OWN_NAMES } from './own-names.ts';

export type Address = { host: string; port: number };

/** Ports of ours and of most other servers lie below. */
const [FIRST_PORT, LAST_PORT] = [33_000, 60_999];

/**
 * Where a server without any checks of its own listens, so that a web page can't find it past its guard: at one of 2^24 loopback
 * addresses and 2^14 ports. Only Linux has more than one such address: elsewhere null.
 */
export function hiddenAddress(): Address | null {
  if (platform() !== 'linux') return null;
  const host = ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');
  return { host, port: randomInt(FIRST_PORT, LAST_PORT) };
}

/**
 * Serves `port` of 127.0.0.1 in front of `hidden`, for requests that name this machine and come from no foreign page. Answers
 * how to end it.
 */
export async function startGuard(port: number, hidden: Address): Promise<() => void> {
  const server = createServer((incoming, outgoing) => {
    if (isForeign(incoming, port)) return void outgoing.writeHead(403).end('Web pages have no access here.\n');
    passOn(incoming, outgoing, hidden);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

function isForeign({ headers }: IncomingMessage, port: number): boolean {
  const ownOrigins = OWN_NAMES.map((name) => `http://${name}:${port}`);
  return !namesUs(headers) || (headers.origin !== undefined && !ownOrigins.includes(headers.origin));
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, hidden: Address) {
  const { method, url, headers } = incoming;
  const onward = request({ ...hidden, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
