import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { ChildProcess } from '../child-process.ts';
import { keptPassword } from '../kept-password.ts';
import { roomOf } from '../watch-disk.ts';
import { childEnvironment, type EngineContext, excuseOfFullDisk, HEALTH_MS, logFile, ROOM_TO_START } from './engine.ts';

const USER = 'meterbook';
const PROBE_MS = 2_000;
/** The server's own account of its health. It lives in the system account, which exports it to ours. */
const HEALTH_SUBJECT = '$SYS.REQ.SERVER.PING.HEALTHZ';

/** NATS with JetStream, for who has the password. A message it has acknowledged is on disk: `sync_interval: always` (architecture#the-edge-and-the-stream). */
export class NatsEngine extends ChildProcess {
  /** With its user and password. */
  readonly url: string;

  constructor(context: EngineContext, binary: string, port: number) {
    const folder = join(context.dataDir, 'nats');
    const configFile = join(folder, 'nats.conf');
    const password = keptPassword(join(context.dataDir, 'nats-password'));
    const serverName = `meterbook-${createHash('sha256').update(context.dataDir).digest('hex').slice(0, 8)}`;
    const spec = {
      name: 'nats',
      command: binary,
      args: ['--config', configFile],
      environment: childEnvironment(context),
      logFile: logFile(context, 'nats'),
      isReady: async () => {
        const health = await askHealth(port, password);
        return health.server.name === serverName && health.data.status === 'ok';
      },
      isHealthy: async () => {
        const { data } = await askHealth(port, password, HEALTH_MS);
        if (data.status !== 'ok') throw new Error(`it says "${data.error ?? data.status}"`);
        return true;
      },
      excuse: () => excuseOfFullDisk(context.dataDir),
      isStuck: async () => stoppedByFullDisk(await askHealth(port, password), folder),
      beforeStart: async () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        rmSync(configFile, { force: true }); // an earlier one may be readable by others
        const config = natsConfig({ port, password, storeDir: join(folder, 'jetstream'), serverName });
        writeFileSync(configFile, config, { mode: 0o600 });
      },
    };
    super(spec, context.observer);
    this.url = `nats://${USER}:${password}@127.0.0.1:${port}`;
  }
}

type Health = { server: { name: string }; data: { status: string; error?: string } };

async function askHealth(port: number, pass: string, timeout = PROBE_MS): Promise<Health> {
  const once = { reconnect: false, timeout };
  const nats = await connect({ servers: `127.0.0.1:${port}`, user: USER, pass, ...once });
  try {
    return (await nats.request(HEALTH_SUBJECT, '', { timeout })).json<Health>();
  } finally {
    await nats.close();
  }
}

/** A stream that met a full disk once refuses everything until its server is started again, also when there is room. */
function stoppedByFullDisk({ data }: Health, folder: string): string | undefined {
  if (!JSON.stringify(data).includes('no space left')) return undefined;
  return roomOf(folder).free > ROOM_TO_START ? 'its disk was full and has room again' : undefined;
}

/**
 * The edge reads the server's real configuration before it answers 200, and the launcher its health: for these two the account
 * everybody is in may ask the system account. A group is at most 256 KiB: 1 MB of payload leaves room. There is no monitoring
 * port: it would answer anybody.
 */
function natsConfig(options: { port: number; password: string; storeDir: string; serverName: string }): string {
  return `server_name: ${JSON.stringify(options.serverName)}
listen: "127.0.0.1:${options.port}"
max_payload: 1MB
jetstream {
  store_dir: ${JSON.stringify(options.storeDir)}
  sync_interval: "always"
}
accounts {
  METERBOOK {
    jetstream: enabled
    users: [{ user: ${USER}, password: ${JSON.stringify(options.password)} }]
    imports: [
      { service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" } }
      { service: { account: SYS, subject: "${HEALTH_SUBJECT}" } }
    ]
  }
  SYS {
    exports: [
      { service: "$SYS.REQ.SERVER.PING.JSZ", response: stream, accounts: [METERBOOK] }
      { service: "${HEALTH_SUBJECT}", response: stream, accounts: [METERBOOK] }
    ]
  }
}
system_account: SYS
`;
}
