import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binary } from './binaries.ts';
import { fetchBinary } from './fetch-binary.ts';
import { type FetchOptions, versionOf } from './fetch-route.ts';
import { holdName } from './name-lock.ts';

/** The environment's PATH is searched. */
export type FindOptions = FetchOptions & { cacheDir: string };

const WAIT_POLL_MS = 500;
const WAIT_NEWS_MS = 15_000;

/**
 * Returns the path of a usable copy: named by its variable, in our cache, on PATH, else fetched or built into the cache. A wrong
 * copy named by the variable is an error; a wrong one on PATH is passed over. Two stacks at once fetch it once.
 */
export async function findBinary(binary: Binary, named: string | undefined, options: FindOptions): Promise<string> {
  if (named) return checkNamed(binary, named);
  const cached = join(options.cacheDir, `${binary.name}-${binary.version}`, binary.name);
  if (existsSync(cached)) return cached;
  const onPath = await findOnPath(binary, options);
  if (onPath) return onPath;
  const lock = await waitForFetch(binary, cached, options);
  try {
    if (!existsSync(cached)) await fetchBinary(binary, cached, options);
  } finally {
    lock?.release();
  }
  return cached;
}

async function checkNamed(binary: Binary, path: string): Promise<string> {
  const version = await versionOf(path);
  if (version === null) throw new Error(`${binary.variable}=${path} can't be run. It should be ${binary.advice}.`);
  if (binary.accepts(version)) return path;
  throw new Error(
    `${binary.variable}=${path} is "${version}", but ${binary.name} has to be ${binary.wanted}: ${binary.advice}.`,
  );
}

async function findOnPath(binary: Binary, { environment, say }: FindOptions): Promise<string | null> {
  for (const folder of (environment.PATH ?? '').split(delimiter)) {
    const path = join(folder, binary.name);
    if (folder === '' || !existsSync(path)) continue;
    const version = await versionOf(path);
    if (version && binary.accepts(version)) return path;
    say(`${path} is passed over: "${version ?? 'does not run'}", wanted is ${binary.wanted}`);
  }
  return null;
}

/** Takes the right to fetch, or waits until whoever has it is done. Answers null where the file is there. */
async function waitForFetch(binary: Binary, cached: string, { say, signal }: FindOptions) {
  let news = -Infinity;
  while (!existsSync(cached)) {
    signal?.throwIfAborted();
    const lock = await holdName(`fetch/${cached}`);
    if (lock) return lock;
    if (performance.now() - news > WAIT_NEWS_MS) {
      say(`${binary.name}: another stack is fetching it, waiting`);
      news = performance.now();
    }
    await sleep(WAIT_POLL_MS);
  }
  return null;
}
