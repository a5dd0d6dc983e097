import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Binary } from './binaries.ts';
import type { FetchOptions } from './fetch-route.ts';

const NEWS_MS = 10_000;

/** Builds the program with Go, which compares the sources with its public checksum database. */
export async function buildBinary(binary: Binary, work: string, options: FetchOptions): Promise<string> {
  if (!binary.goPackage) throw new Error(`Go can't build ${binary.name} ${binary.version}`);
  const { say, signal } = options;
  const bin = join(work, 'bin');
  const started = performance.now();
  say(`${binary.name} ${binary.version}: building ${binary.goPackage} with Go; the first time this takes minutes`);
  const child = spawn('go', ['install', '-v', '-trimpath', '-ldflags=-s -w', binary.goPackage], {
    cwd: work,
    env: { ...goFolders(work, options), GOBIN: bin, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal ? { signal } : {}),
  });
  let packages = 0;
  let last = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.startsWith('go: ')) packages += 1;
    last = line;
  });
  const news = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    say(`${binary.name}: ${seconds} s, ${packages} packages compiled`);
  }, NEWS_MS);
  const failure = await new Promise<string | null>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'Go is not installed' : error.message),
    );
    child.once('close', (code) => resolve(code === 0 ? null : `go install failed: ${last}`));
  }).finally(() => clearInterval(news));
  const file = join(bin, binary.builtAs ?? binary.name);
  if (failure || !existsSync(file)) throw new Error(failure ?? 'go install made no file');
  return file;
}

/** The environment with folders for Go's caches: without a home directory Go has none by itself. */
function goFolders(work: string, { environment }: FetchOptions): Record<string, string | undefined> {
  const cacheDir = dirname(work);
  const folders = environment.HOME
    ? {}
    : { GOPATH: join(cacheDir, 'go'), GOCACHE: join(cacheDir, 'go-build'), GOFLAGS: '-modcacherw' };
  return { ...environment, GOFLAGS: '', ...folders };
}
