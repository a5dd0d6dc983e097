import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Each meter writes in a folder of its own within `spoolDir`, and listens on a Unix socket in it for as long as it lives: the kernel
 * closes that with the process, however it ends, and answers for it to every process of the machine that sees the folder, whatever
 * container it is in. A dead meter's folder is taken over by moving it into one's own, which one process alone can do.
 */
export type OwnedFolder = { id: string; path: string; server: Server };

const SOCKET = 'alive';
const OWNER = /^[0-9a-f]{12}$/;
/** What an address of a Unix socket holds on every system. */
const MAX_SOCKET_BYTES = 103;

export async function createFolder(spoolDir: string): Promise<OwnedFolder> {
  const id = randomBytes(6).toString('hex');
  // By a name that nobody takes for a dead meter's, until it is heard.
  const unheard = join(spoolDir, `.${id}`);
  await mkdir(spoolDir, { recursive: true });
  await mkdir(unheard, { mode: 0o700 });
  const server = createServer((socket) => socket.destroy());
  await withSocket(unheard, async (path) => {
    // In a cluster's worker, too, of this process and not of its primary.
    server.listen({ path, exclusive: true });
    await once(server, 'listening');
  });
  server.unref();
  const path = join(spoolDir, id);
  await rename(unheard, path);
  return { id, path, server };
}

/** Lets go of the folder: what is left in it is whoever's comes next. */
export async function leaveFolder({ path, server }: OwnedFolder): Promise<void> {
  server.close();
  await rm(join(path, SOCKET), { force: true });
  await rmdir(path).catch(() => {}); // there are events in it
}

/** Moves what dead meters have left into `own`. */
export async function takeOverDead(spoolDir: string, own: OwnedFolder): Promise<void> {
  for (const id of (await readdir(spoolDir)).filter((name) => OWNER.test(name) && name !== own.id)) {
    const path = join(spoolDir, id);
    if (await isAlive(path)) continue;
    // Somebody else may have been first.
    await rename(path, join(own.path, id)).catch(unlessMissing);
  }
  await flatten(own.path, own.path);
}

/** Files of folders within folders: of a meter that died before it had sent what it had taken over. */
async function flatten(folder: string, into: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await flatten(path, into);
      await rm(path, { recursive: true });
    } else if (folder !== into && entry.name !== SOCKET) await rename(path, join(into, entry.name));
  }
}

/** Only a socket that is gone, or that nobody listens on, is a dead meter's: one that we may not ask may live. */
async function isAlive(folder: string): Promise<boolean> {
  return withSocket(folder, async (path) => {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      return !['ENOENT', 'ECONNREFUSED'].includes(codeOf(error));
    } finally {
      socket.destroy();
    }
  });
}

/** Gives a path of the folder's socket that is short enough for one: through a link, where its own is too long. */
async function withSocket<T>(folder: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, SOCKET);
  if (Buffer.byteLength(path) <= MAX_SOCKET_BYTES) return use(path);
  const links = await mkdtemp(join(tmpdir(), 'meter-'));
  try {
    await symlink(folder, join(links, 'f'));
    return await use(join(links, 'f', SOCKET));
  } finally {
    await rm(links, { recursive: true });
  }
}

function unlessMissing(error: unknown) {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** `ENOSPC`, as the file system says it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
