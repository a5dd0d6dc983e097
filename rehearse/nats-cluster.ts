import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ChildProcess } from '../local/child-process.ts';
import { answers, childEnvironment, type EngineContext, logFile } from '../local/engines/engine.ts';
import { keptPassword } from '../local/kept-password.ts';
import { serversOf } from '../stream/connection.ts';
import { USAGE_STREAM } from '../stream/subjects.ts';
import { shipped } from './shipped.ts';

export const NATS_SERVERS = ['nats-1', 'nats-2', 'nats-3'] as const;

export type NatsCluster = {
  /** All servers, as NATS_URL takes them. */
  url: string;
  servers: ChildProcess[];
};

const USER = 'meterbook';

/** Three servers with the configuration of `operations/cluster/nats.conf`; each takes three of `ports`. Starts none. */
export function createNatsCluster(context: EngineContext, binary: string, ports: readonly number[]): NatsCluster {
  const password = keptPassword(join(context.dataDir, 'nats-password'));
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const of = (i: number) => ({ client: addresses[i], route: addresses[i + 3], monitor: addresses[i + 6] });
  const routes = NATS_SERVERS.map((_, i) => `nats-route://${of(i).route}`);
  const servers = NATS_SERVERS.map((name, i) => {
    const { client, route, monitor } = of(i);
    const folder = join(context.dataDir, name);
    const configFile = join(folder, 'nats.conf');
    return new ChildProcess(
      {
        name,
        command: binary,
        args: ['--config', configFile],
        environment: childEnvironment(context, {
          SERVER_NAME: name,
          CLIENT_LISTEN: JSON.stringify(client),
          ROUTE_LISTEN: JSON.stringify(route),
          ROUTES: JSON.stringify(routes),
          MONITOR: JSON.stringify(monitor),
          STORE_DIR: JSON.stringify(join(folder, 'jetstream')),
          NATS_PASSWORD: JSON.stringify(password),
        }),
        logFile: logFile(context, name),
        isReady: () => answers(`http://${monitor}/healthz`),
        beforeStart: async () => {
          mkdirSync(folder, { recursive: true, mode: 0o700 });
          writeFileSync(configFile, shipped('cluster/nats.conf', {}));
        },
      },
      context.observer,
    );
  });
  return { url: NATS_SERVERS.map((_, i) => `nats://${USER}:${password}@${of(i).client}`).join(','), servers };
}

/** The server that leads the usage stream now: the one through which every event goes. */
export async function usageLeader(url: string): Promise<string> {
  const connection = await connect({ ...serversOf(url), timeout: 5_000 });
  try {
    const { cluster } = await (await jetstreamManager(connection)).streams.info(USAGE_STREAM);
    if (!cluster?.leader) throw new Error('the usage stream has no leader');
    return cluster.leader;
  } finally {
    await connection.close();
  }
}
