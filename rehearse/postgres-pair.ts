import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EngineContext } from '../local/engines/engine.ts';
import { PASSWORD_FILE, PostgresEngine, postgresPrograms } from '../local/engines/postgres.ts';
import { keptPassword } from '../local/kept-password.ts';
import { copyPrimary, SLOT } from './copy-primary.ts';

/** Two servers of Postgres. One takes writes, and answers one when both have it on disk. */
export type PostgresPair = {
  /** Of both, as DATABASE_URL takes them. */
  url: string;
  /** The same for programs that take no URL; `addresses` has commas between. */
  login: { addresses: string; user: string; password: string };
  /** The server that takes writes; where that is down, the one that did. */
  primary(): PostgresEngine;
  standby(): PostgresEngine;
  /** Ends the primary with SIGKILL, for ever (two would take writes), and has the standby take its place. */
  failOver(): Promise<void>;
  /** Brings a standby beside the primary, in the place of the server that is down: a copy of the primary's data. */
  follow(): Promise<void>;
  stop(killAfterMs: number): Promise<void>;
};

type Server = { folder: string; port: number; engine: PostgresEngine };

const READY_MS = 120_000;
/** The standby's name, by which the primary knows whom its commits wait for. */
const STANDBY = 'standby';

/** Starts both, in folders below `context.dataDir`. */
export async function startPostgresPair(
  context: EngineContext,
  ports: readonly [number, number],
): Promise<PostgresPair> {
  const programs = await postgresPrograms();
  const password = keptPassword(join(context.dataDir, PASSWORD_FILE));

  function createServer(port: number): Server {
    const folder = join(context.dataDir, `postgres-${port}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, PASSWORD_FILE), `${password}\n`, { mode: 0o600 });
    return { folder, port, engine: new PostgresEngine({ ...context, dataDir: folder }, programs, port) };
  }

  async function start({ engine }: Server) {
    await engine.start();
    await engine.ready(READY_MS);
  }

  let primary = createServer(ports[0]);
  let standby = createServer(ports[1]);
  const { username: user, pathname } = new URL(primary.engine.url);

  async function follow() {
    standby = createServer(standby.port);
    const data = ({ folder }: Server) => join(folder, 'postgres');
    await copyPrimary(primary.engine.url, data(primary), data(standby), [
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${user} password=${password} application_name=${STANDBY}'`,
      `primary_slot_name = '${SLOT}'`,
      // A primary that is back finds its standby at once: until then commits wait.
      "wal_retrieve_retry_interval = '500ms'",
    ]);
    await start(standby);
    await run(
      primary.engine.url,
      `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`,
      'SELECT pg_reload_conf()',
    );
  }

  async function stop(killAfterMs: number) {
    await Promise.all([primary, standby].map(({ engine }) => engine.stop(killAfterMs)));
  }

  try {
    await start(primary);
    await follow();
  } catch (error) {
    await stop(0);
    throw error;
  }
  const addresses = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return {
    url: `postgres://${user}:${password}@${addresses}${pathname}`,
    login: { addresses, user, password },
    primary: () => primary.engine,
    standby: () => standby.engine,
    failOver: async () => {
      await primary.engine.stop(0);
      await run(standby.engine.url, 'SELECT pg_promote()');
      [primary, standby] = [standby, primary];
    },
    follow,
    stop,
  };
}

/** Runs statements one after another, each in a transaction of its own. */
async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
