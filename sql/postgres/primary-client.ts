import pg from 'pg';

/** How long a server may take to say whether it takes writes. */
const ASK_MS = 2_000;
/** Postgres's own code of a server that can't be connected to yet (cannot_connect_now): the caller is told to try again. */
const NOT_YET = '57P03';

/**
 * The servers of a URL that names several as libpq's do (`postgres://user:password@a:5432,b:5432/name`), each as a URL of its own; of
 * any other URL itself. Throws where it asks for another server than the one that takes writes.
 */
export function serversOf(url: string): [string, ...string[]] {
  const [, head, hosts, tail = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?#@]*)((?:[/?#].*)?)$/.exec(url) ?? [];
  if (head === undefined || !hosts?.includes(',')) return [url];
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(tail)?.[1] ?? 'read-write';
  if (!['read-write', 'primary'].includes(wanted)) {
    throw new Error(`DATABASE_URL asks for target_session_attrs=${wanted}, but only read-write and primary will do.`);
  }
  const [first = '', ...others] = hosts.split(',').map((host) => `${head}${host}${tail}`);
  return [first, ...others];
}

/**
 * A client, for a pool, that connects to whichever of `servers` takes writes (libpq's `target_session_attrs=read-write`, which `pg`
 * does not know). Who that was is kept until a connection to it fails or it is a standby; then all are asked again, at once.
 */
export function primaryClient(servers: readonly string[]): typeof pg.Client {
  let primary: Promise<Server> | undefined;

  return class PrimaryClient extends pg.Client {
    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      const connected = this.#connectToPrimary();
      if (!callback) return connected;
      connected.then(() => (callback as () => void)(), callback);
      return undefined;
    }

    async #connectToPrimary(): Promise<this> {
      // One that breaks here fails what is asked of it; the pool listens from when it is connected, and unheard it would end the process.
      this.on('error', () => {});
      primary ??= findPrimary(servers);
      const asked = primary;
      try {
        Object.assign(this, await asked);
        await super.connect();
        await assertTakesWrites(this);
        return this;
      } catch (error) {
        if (primary === asked) primary = undefined;
        this.end().catch(() => {}); // where it was connected
        throw error;
      }
    }
  };
}

type Server = { host: string; port: number };

async function findPrimary(servers: readonly string[]): Promise<Server> {
  try {
    return await Promise.any(servers.map(askServer));
  } catch (cause) {
    const reasons = (cause as AggregateError).errors.map((one: Error) => one.message);
    throw new Error(`none of the servers of Postgres takes writes: ${reasons.join('; ')}`, { cause });
  }
}

async function askServer(url: string): Promise<Server> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS });
  client.on('error', () => {});
  const { host, port } = client;
  try {
    await client.connect();
    await assertTakesWrites(client);
    return { host, port };
  } catch (cause) {
    throw new Error(`${host}:${port}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  } finally {
    client.end().catch(() => {});
  }
}

async function assertTakesWrites(client: pg.Client): Promise<void> {
  const sql = `SELECT current_setting('transaction_read_only') AS read_only`;
  const { rows } = await client.query<{ read_only: string }>(sql);
  if (rows[0]?.read_only === 'off') return;
  throw Object.assign(new Error('it is a standby, or read-only'), { code: NOT_YET });
}
