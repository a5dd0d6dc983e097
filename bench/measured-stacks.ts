import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type StackFile, stackFilePath } from '../local/stack-file.ts';
import { type Api, api as apiOf } from '../test/stack/api.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';

const ROOT = join(import.meta.dirname, '..');

const START_MS = 300_000;

/** A stack that is measured: the release that it is of, and the checkout it runs from. */
export type MeasuredStack = { release: string; folder: string; file: StackFile };

/** Has `work` measure this checkout's stack, and in turn with it that of another one, `beside`. */
export async function withStacks(
  beside: string | undefined,
  work: (stacks: readonly MeasuredStack[]) => Promise<void>,
): Promise<void> {
  const other = beside === undefined ? undefined : await startOther(beside);
  try {
    const own = await startOwnStack();
    try {
      const stacks = [{ release: 'this', folder: ROOT, file: own.file() }];
      if (beside !== undefined && other) stacks.push({ release: beside, folder: beside, file: other.file });
      await work(stacks);
    } finally {
      await own.stop();
    }
  } finally {
    await other?.stop();
  }
}

/** A client of a stack, which may be of a release that documents other answers. */
export function clientOf({ release, file }: MeasuredStack, key = file.api_key): Api {
  return apiOf(key, file.base_url, { isOldRelease: release !== 'this' });
}

/** The key of another account of a stack, made by its own command: only that knows its tables. */
export async function makeOtherKey({ folder, file }: MeasuredStack, mode: 'test' | 'live' = 'test'): Promise<string> {
  const command = [join(folder, 'cli/main.ts'), 'create-account', '--name', 'bystander', '--mode', mode];
  const env = { ...process.env, DATABASE_URL: file.postgres_url };
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env });
  return String((JSON.parse(stdout) as { key: string }).key);
}

/** The stack of another checkout, in a folder of its own. */
async function startOther(folder: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'meterbook-beside-'));
  await chmod(dataDir, 0o755);
  // A bench stops processes for longer than the launcher would let it.
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', RESTART_UNHEALTHY_AFTER_SECONDS: '0' };
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
