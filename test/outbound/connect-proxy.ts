import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy on this machine that opens tunnels. */
export type ConnectProxy = {
  url: URL;
  /** What it was asked to connect to, in that order. */
  asked: string[];
  /** The `Proxy-Authorization` of each. */
  authorizations: (string | undefined)[];
  close(): Promise<void>;
};

/** `answer`: the status of each CONNECT; `leadTo`: where the tunnel really leads, for addresses that nobody has. */
export async function startConnectProxy({
  answer = 200,
  leadTo,
}: {
  answer?: number;
  leadTo?: number;
} = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((_, response) => void response.writeHead(405).end());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, socket) => {
    const target = request.url ?? '';
    asked.push(target);
    authorizations.push(request.headers['proxy-authorization']);
    socket.on('error', () => {});
    if (answer !== 200) return void socket.end(`HTTP/1.1 ${answer} Refused\r\n\r\n`);
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(
      leadTo ?? (Number(port) || 80),
      leadTo ? '127.0.0.1' : hostname.replace(/^\[(.*)\]$/, '$1'),
    );
    upstream.on('error', () => socket.destroy());
    upstream.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    asked,
    authorizations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
