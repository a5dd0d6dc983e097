import { createHash } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { holdName, type NameLock } from './name-lock.ts';

/** Below the range from which systems take ports for outgoing connections, so that a restarted engine finds its port still free. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
/** One stack's ports lie together; a block is locked, so that two stacks starting at once never take the same. */
const BLOCK = 20;
const BLOCKS = (LAST_PORT - FIRST_PORT) / BLOCK;

/**
 * `count` (at most 20) ports of 127.0.0.1 that are free and stay ours until `release`. The same seed gets the same ports
 * as long as nobody else uses them, so that a stack's addresses stay what they were.
 */
export async function reservePorts(seed: string, count: number): Promise<{ ports: number[]; release(): void }> {
  if (count > BLOCK) throw new Error(`At most ${BLOCK} ports.`);
  const start = createHash('sha256').update(seed).digest().readUInt32BE(0) % BLOCKS;
  for (let i = 0; i < BLOCKS; i++) {
    const block = (start + i) % BLOCKS;
    const lock: NameLock | null = await holdName(`ports/${block}`);
    if (!lock) continue;
    const ports = Array.from({ length: count }, (_, n) => FIRST_PORT + block * BLOCK + n);
    const free = await Promise.all(ports.map((port) => isPortFree(port)));
    if (free.every(Boolean)) return { ports, release: () => lock.release() };
    lock.release();
  }
  throw new Error(`No ${count} neighbouring ports between ${FIRST_PORT} and ${LAST_PORT} are free.`);
}

/** Whether a server could listen there now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenError(port, '127.0.0.1')) === null;
}

/** Returns the code of the error that a server meets that listens at this port of `host`, or null if it meets none. */
export function listenError(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** Whether a server of this machine accepts connections at this port. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}
