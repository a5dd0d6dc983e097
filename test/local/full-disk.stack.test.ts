import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { natsServer } from '../../local/binaries.ts';
import { NatsEngine } from '../../local/engines/nats.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patientStream } from '../stream/patient-stream.ts';

/** A small disk in memory: only where this user may mount one. `npm run soak -- --full-disk` does it to a whole stack. */
const disk = mkdtempSync(join(tmpdir(), 'meterbook-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk]).status === 0;

afterAll(() => {
  if (isMounted) spawnSync('umount', ['--lazy', disk]);
  rmSync(disk, { recursive: true, force: true });
});

test.skipIf(!isMounted)('a full disk refuses events and loses none; with room again it takes them again', async () => {
  const dataDir = join(disk, 'data');
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const { ports, release } = await reservePorts(dataDir, 1);
  const said: string[] = [];
  const observer = { say: (line: string) => void said.push(line), pidChanged: () => {} };
  const nats = new NatsEngine({ dataDir, environment, observer }, binary, ports[0] ?? 0);
  await nats.start();
  await nats.ready(60_000);
  const connection = await patientStream(nats.url);
  try {
    await ensureStreams(connection.jsm, { usagePartitions: 1, usageStreamMaxBytes: 2 ** 25, streamReplicas: 1 });
    const stored: number[] = [];
    const publish = () =>
      connection.js.publish('usage.0', Buffer.alloc(20_000), { timeout: 1_000 }).then(
        ({ seq }) => stored.push(seq) > 0,
        () => false,
      );
    while (stored.length < 20) await waitUntil(publish, (taken) => taken);

    const filler = join(disk, 'filler');
    for (let n = 0; statfsSync(disk).bavail > 0 && n < 100; n++) fill(`${filler}-${n}`);
    await waitUntil(publish, (taken) => !taken);

    for (let n = 0; n < 100; n++) rmSync(`${filler}-${n}`, { force: true });
    await waitUntil(publish, (taken) => taken);
    expect(said.join('\n')).toContain('its disk was full and has room again');
    for (const seq of stored) expect((await connection.jsm.streams.getMessage('USAGE', { seq }))?.seq).toBe(seq);
  } finally {
    await connection.close();
    await nats.stop(5_000);
    release();
  }
});

/** Takes what is left, in ever smaller pieces. */
function fill(file: string) {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
