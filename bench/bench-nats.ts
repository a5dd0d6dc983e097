import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServer } from '../local/binaries.ts';
import { findBinary } from '../local/find-binary.ts';
import { loadLauncherConfig } from '../runtime/config.ts';

/** A nats-server in a folder of its own; `fsync` before each ack, or the server's default of every two minutes. */
export async function startBenchNats(port: number, fsync: boolean): Promise<{ url: string; stop(): Promise<void> }> {
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: console.error });
  const folder = await mkdtemp(join(tmpdir(), 'meterbook-bench-'));
  const file = join(folder, 'nats.conf');
  const sync = fsync ? ', sync_interval: "always"' : '';
  await writeFile(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}"${sync} }\n`);
  const server = spawn(binary, ['--config', file], { stdio: 'ignore' });
  return {
    url: `nats://127.0.0.1:${port}`,
    stop: async () => {
      server.kill('SIGKILL');
      await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
