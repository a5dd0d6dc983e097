import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { natsServer } from '../../local/binaries.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { checkDurability } from '../../stream/durability.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { durabilityTold } from '../stack/durability.ts';
import { killChild } from '../stack/kill-child.ts';
import { patientStream } from './patient-stream.ts';

const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 26, streamReplicas: 1 };
const ASKABLE = `
accounts {
  METERBOOK {
    jetstream: enabled
    users: [{ user: m, password: m }]
    imports: [{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ" } }]
  }
  SYS { exports: [{ service: "$SYS.REQ.SERVER.PING.JSZ", response: stream }] }
}
system_account: SYS
no_auth_user: m
`;

/** What the edge finds out about a server with this configuration. */
async function durabilityOf(sync: string, more: string, ask = durabilityTold) {
  const folder = await mkdtemp(join(tmpdir(), 'meterbook-nats-'));
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const { ports, release } = await reservePorts(folder, 1);
  const config = `listen: "127.0.0.1:${ports[0]}"\njetstream { store_dir: "${folder}"${sync} }\n${more}`;
  await writeFile(join(folder, 'nats.conf'), config);
  const server = spawn(binary, ['--config', join(folder, 'nats.conf')], { stdio: 'ignore' });
  try {
    const connection = await patientStream(`nats://127.0.0.1:${ports[0]}`);
    await ensureStreams(connection.jsm, SETTINGS);
    const found = await ask(connection, SETTINGS);
    await connection.close();
    return found;
  } finally {
    await killChild(server);
    release();
    await rm(folder, { recursive: true, force: true });
  }
}

test('a server that acks before fsync is found out', async () => {
  const { problems, unverified } = await durabilityOf('', ASKABLE);
  expect(problems).toEqual([expect.stringMatching(/^sync_interval is not always on /)]);
  expect(unverified).toEqual([]);
});

test('a server that does not tell is not called durable', async () => {
  const { problems, unverified } = await durabilityOf(', sync_interval: "always"', '', checkDurability);
  expect(problems).toEqual([]);
  expect(unverified).toHaveLength(1);
});
