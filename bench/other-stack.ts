import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StackFile, stackFilePath } from '../local/stack-file.ts';

const START_MS = 300_000;

/** The stack of another checkout, in a folder of its own. */
export async function startOther(folder: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'meterbook-beside-'));
  await chmod(dataDir, 0o755);
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
  const child = spawn(process.execPath, [join(folder, 'cli/main.ts'), 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  for (
    const until = performance.now() + START_MS;
    performance.now() < until && child.exitCode === null;
    await sleep(200)
  ) {
    const text = await readFile(stackFilePath(dataDir), 'utf8').catch(() => '');
    if (text !== '') return { file: JSON.parse(text) as StackFile, stop };
  }
  await stop();
  throw new Error(`The stack of ${folder} did not start.`);
}
