import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A name only one process of this machine holds; it falls free at the holder's death, however that comes. */
export type NameLock = { release(): void };

/** How long a holder may take to say who it is. */
const ANSWER_MS = 2_000;

/**
 * Takes `name`, or answers null where a live process holds it. `describe` is what the holder tells those who ask.
 * A listening socket is the lock: unlike a file with a pid it can't be stale, and unlike flock Node has it.
 */
export async function holdName(name: string, describe: () => string = () => ''): Promise<NameLock | null> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(describe());
  });
  if (await tryListen(server, name)) return lockOf(server);
  if (hasNamesWithoutFiles || (await askHolder(name)) !== null) return null;
  rmSync(addressOf(name), { force: true }); // a socket file whose holder is dead
  return (await tryListen(server, name)) ? lockOf(server) : null;
}

/** What the holder of `name` says of itself, or null where nobody holds it. */
export function askHolder(name: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(addressOf(name));
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('end', () => resolve(said));
    socket.on('error', () => resolve(null));
    socket.on('close', () => resolve(said));
  });
}

/** Linux has socket names that are no files; elsewhere a socket file stands in the temporary folder. */
const hasNamesWithoutFiles = platform() === 'linux';

function addressOf(name: string): string {
  const short = `meterbook-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  return hasNamesWithoutFiles ? `\0${short}` : join(tmpdir(), `${short}.sock`);
}

function tryListen(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error));
    server.once('error', onError);
    server.listen(addressOf(name), () => {
      server.removeListener('error', onError);
      resolve(true);
    });
  });
}

function lockOf(server: Server): NameLock {
  server.unref();
  return { release: () => void server.close() };
}
