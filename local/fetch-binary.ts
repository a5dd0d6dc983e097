import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Binary } from './binaries.ts';

export type FetchOptions = {
  /** The launcher's environment, which what builds inherits. */
  environment: Record<string, string | undefined>;
  say(line: string): void;
  signal?: AbortSignal;
};

/** Without an answer by then there is no way to the internet; the next route is tried. */
const CONNECT_MS = 5_000;
const DOWNLOAD_MS = 10 * 60_000;
const NEWS_MS = 10_000;

/**
 * Puts `binary` at `target`: from the vendor's release, its checksum verified, else built by Go. The file appears there in one
 * step, whole. Throws with what a person can do about it.
 */
export async function fetchBinary(binary: Binary, target: string, options: FetchOptions): Promise<void> {
  const cacheDir = dirname(dirname(target));
  await mkdir(cacheDir, { recursive: true });
  const work = await mkdtemp(join(cacheDir, '.fetching-'));
  const failures: string[] = [];
  try {
    for (const route of [download, build]) {
      try {
        const file = await route(binary, work, options);
        await mkdir(dirname(target), { recursive: true });
        await rename(file, target);
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        failures.push(error instanceof Error ? error.message : String(error));
        options.say(`${binary.name}: ${failures.at(-1)}`);
      }
    }
  } finally {
    // Go leaves its module cache read-only only outside of `work`, so this removes everything.
    await rm(work, { recursive: true, force: true });
  }
  throw new Error(
    `${binary.name} is missing and can't be fetched (${failures.join('; ')}).\n` +
      `Install ${binary.advice}, put it on PATH${binary.variable ? ` or set ${binary.variable} to its path` : ''}; ` +
      'or install Go, and it is built here.',
  );
}

async function download(binary: Binary, work: string, { say, signal }: FetchOptions): Promise<string> {
  const name = basename(binary.archive);
  const expected = binary.pinned[name] ?? (await vendorChecksum(binary, name));
  say(`${binary.name} ${binary.version}: downloading ${binary.archive}`);
  const archive = join(work, name);
  const response = await get(binary.archive, DOWNLOAD_MS, signal);
  await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(archive));
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const actual = hash.digest('hex');
  if (actual !== expected) throw new Error(`the download's checksum is ${actual} instead of ${expected}`);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', work]);
  const files = await readdir(work, { recursive: true, withFileTypes: true });
  const file = files.find((entry) => entry.isFile() && entry.name === binary.name);
  if (!file) throw new Error(`${name} has no ${binary.name} in it`);
  return join(file.parentPath, file.name);
}

async function vendorChecksum(binary: Binary, name: string): Promise<string> {
  const list = await (await get(binary.checksums, CONNECT_MS)).text();
  const line = list.split('\n').find((entry) => entry.trim().endsWith(name));
  const sum = /^[0-9a-f]{64}/.exec(line ?? '')?.[0];
  if (!sum) throw new Error(`${binary.checksums} does not name ${name}`);
  return sum;
}

/** A response whose headers come within CONNECT_MS and whose body within `limitMs`. */
async function get(url: string, limitMs: number, signal?: AbortSignal): Promise<Response> {
  const connecting = new AbortController();
  const timer = setTimeout(() => connecting.abort(), CONNECT_MS);
  const signals = [connecting.signal, AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])];
  const response = await fetch(url, { signal: AbortSignal.any(signals) }).catch(() => null);
  clearTimeout(timer);
  if (response === null) throw new Error(`${new URL(url).host} can't be reached`);
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
  return response;
}

async function build(binary: Binary, work: string, { environment, say, signal }: FetchOptions): Promise<string> {
  const bin = join(work, 'bin');
  const started = performance.now();
  say(`${binary.name} ${binary.version}: building ${binary.goPackage} with Go; the first time this takes minutes`);
  const child = spawn('go', ['install', '-v', '-trimpath', '-ldflags=-s -w', binary.goPackage], {
    cwd: work,
    env: { ...environment, GOBIN: bin, CGO_ENABLED: '0', GOFLAGS: '' },
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
