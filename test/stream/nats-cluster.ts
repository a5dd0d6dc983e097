import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { natsServer } from '../../local/binaries.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { killChild } from '../stack/kill-child.ts';

/** Three NATS servers that form a cluster, to be killed one at a time. */
export type NatsCluster = {
  /** All servers, as NATS_URL takes them. */
  url: string;
  kill(server: string): Promise<void>;
  start(server: string): void;
  stop(): Promise<void>;
};

const SERVERS = ['n1', 'n2', 'n3'];

/** Starts the cluster in a new folder, with the configuration that the README asks for. Does not wait until it has leaders. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const folder = await makeDataFolder('meterbook-nats-cluster-');
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const reserved = await reservePorts(folder, SERVERS.length * 2);
  const clientPorts = reserved.ports.slice(0, SERVERS.length);
  const routePorts = reserved.ports.slice(SERVERS.length);
  const routes = routePorts.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const running = new Map<string, ChildProcess>();

  for (const [i, name] of SERVERS.entries()) {
    const config = `
server_name: ${name}
listen: "127.0.0.1:${clientPorts[i]}"
cluster { name: meterbook, listen: "127.0.0.1:${routePorts[i]}", routes: [${routes}] }
jetstream { store_dir: "${join(folder, name)}", sync_interval: "always" }
accounts {
  METERBOOK {
    jetstream: enabled
    users: [{ user: m, password: m }]
    imports: [{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" } }]
  }
  SYS { exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response: stream, accounts: [METERBOOK] }] }
}
system_account: SYS
no_auth_user: m
`;
    await writeFile(join(folder, `${name}.conf`), config);
  }

  function start(server: string) {
    running.set(server, spawn(binary, ['--config', join(folder, `${server}.conf`)], { stdio: 'ignore' }));
  }

  async function kill(server: string) {
    const child = running.get(server);
    if (child) await killChild(child);
  }

  for (const server of SERVERS) start(server);
  return {
    url: clientPorts.map((port) => `nats://127.0.0.1:${port}`).join(','),
    kill,
    start,
    stop: async () => {
      await Promise.all(SERVERS.map(kill));
      reserved.release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
