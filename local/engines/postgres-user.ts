import { execFileSync } from 'node:child_process';
import { accessSync, constants, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

type User = { uid: number; gid: number };

/** How to run a program of Postgres, which refuses to run as root. */
export type RunAs = {
  /** Whom its data belongs to and as whom it runs; null: as we are. */
  user: User | null;
  /** What goes before the program to make it that user with the right to pass closed folders; empty where nothing is needed. */
  prefix: string[];
};

/** Asked for in this order where root starts the stack; nothing is ever created on the machine. */
const USERS = ['postgres', 'nobody'];

/** Linux capabilities that let a process pass folders closed to it: number in the mask, and name. */
const PASS_FOLDERS = [
  { bit: 2n, name: 'dac_read_search' },
  { bit: 1n, name: 'dac_override' },
];

/**
 * As a normal user: as that user. As root: as the owner of the data, else as `postgres`, else as `nobody`. That user must reach the
 * data and the program; where a folder above them is closed to it (a checkout below /root), it gets the capability to look into
 * folders, which is less than root had anyway. Nothing's mode is changed. Throws with advice where neither works.
 */
export function postgresUser(dataFolder: string, program: string, searchPath: string): RunAs {
  if (process.getuid?.() !== 0) return { user: null, prefix: [] };
  const user = ownerOf(dataFolder) ?? systemUser();
  const closed = [dirname(dataFolder), dirname(program)].flatMap(foldersAbove).find((folder) => !canPass(folder, user));
  if (!closed) return { user, prefix: [] };
  const capability = PASS_FOLDERS.find(({ bit }) => (effectiveCapabilities() >> bit) & 1n)?.name;
  const setpriv = searchPath
    .split(delimiter)
    .map((folder) => join(folder, 'setpriv'))
    .find(isExecutable);
  if (!capability || !setpriv) {
    throw new Error(
      `Postgres does not run as root, and the user it runs as can't pass ${closed}. Set DATA_DIR to a folder outside of it ` +
        '(and keep this checkout outside of it), install setpriv (util-linux), or start as a normal user.',
    );
  }
  const { uid, gid } = user;
  // Postgres asks access(2) about its own files; without this bit that question ignores capabilities.
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'];
  return { user, prefix: [setpriv, ...identity, `--inh-caps=+${capability}`, `--ambient-caps=+${capability}`] };
}

/** Gives a folder and all within it to that user. */
export function giveTo({ user }: RunAs, folder: string): void {
  if (!user) return;
  const within = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  for (const path of [folder, ...within]) lchownSync(path, user.uid, user.gid);
}

function ownerOf(folder: string): User | null {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : null;
}

function systemUser(): User {
  for (const name of USERS) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // no such user; the next
    }
  }
  throw new Error(
    `Postgres does not run as root, and this machine has none of the users ${USERS.join(', ')}. Start as a normal user.`,
  );
}

function foldersAbove(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [...foldersAbove(dirname(folder)), folder];
}

function canPass(folder: string, user: User): boolean {
  const stat = statSync(folder);
  if (stat.uid === user.uid) return (stat.mode & 0o100) !== 0;
  return (stat.mode & (stat.gid === user.gid ? 0o010 : 0o001)) !== 0;
}

function effectiveCapabilities(): bigint {
  try {
    return BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`);
  } catch {
    return 0n;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
