import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChildProcess } from '../child-process.ts';
import { roomOf } from '../watch-disk.ts';
import { answers, childEnvironment, type EngineContext, logFile } from './engine.ts';

/** NATS with JetStream. A message it has acknowledged is on disk: `sync_interval: always` (design 4). */
export class NatsEngine extends ChildProcess {
  readonly url: string;
  /** The server's own account of itself, on loopback only: `/varz`, `/jsz`, `/healthz`. */
  readonly monitorUrl: string;

  constructor(context: EngineContext, binary: string, ports: { port: number; monitorPort: number }) {
    const folder = join(context.dataDir, 'nats');
    const configFile = join(folder, 'nats.conf');
    const monitorUrl = `http://127.0.0.1:${ports.monitorPort}`;
    const serverName = `meterbook-${createHash('sha256').update(context.dataDir).digest('hex').slice(0, 8)}`;
    const spec = {
      name: 'nats',
      command: binary,
      args: ['--config', configFile],
      environment: childEnvironment(context),
      logFile: logFile(context, 'nats'),
      isReady: async () =>
        (await answers(`${monitorUrl}/varz`, (body) => body.includes(serverName))) &&
        (await answers(`${monitorUrl}/healthz`)),
      isStuck: () => stoppedByFullDisk(monitorUrl, folder),
      beforeStart: async () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(configFile, natsConfig({ ...ports, storeDir: join(folder, 'jetstream'), serverName }));
      },
    };
    super(spec, context.observer);
    this.url = `nats://127.0.0.1:${ports.port}`;
    this.monitorUrl = monitorUrl;
  }
}

/** A server that starts on less may be stopped again at once. */
const ROOM_TO_START = 64 * 2 ** 20;

/** A stream that met a full disk once refuses everything until its server is started again, also when there is room. */
async function stoppedByFullDisk(monitorUrl: string, folder: string): Promise<string | undefined> {
  const response = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(2_000) });
  if (!(await response.text()).includes('no space left')) return undefined;
  return roomOf(folder).free > ROOM_TO_START ? 'its disk was full and has room again' : undefined;
}

/**
 * The edge reads the server's real configuration before it answers 200, so the account everybody is in may ask the system account
 * for that one thing (stream/durability.ts). A group is at most 256 KiB: 1 MB of payload leaves room.
 */
function natsConfig(options: { port: number; monitorPort: number; storeDir: string; serverName: string }): string {
  return `server_name: ${JSON.stringify(options.serverName)}
listen: "127.0.0.1:${options.port}"
http: "127.0.0.1:${options.monitorPort}"
max_payload: 1MB
jetstream {
  store_dir: ${JSON.stringify(options.storeDir)}
  sync_interval: "always"
}
accounts {
  METERBOOK {
    jetstream: enabled
    users: [{ user: meterbook, password: meterbook }]
    imports: [{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" } }]
  }
  SYS {
    exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response: stream, accounts: [METERBOOK] }]
  }
}
system_account: SYS
no_auth_user: meterbook
`;
}
