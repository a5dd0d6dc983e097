import { execFileSync } from 'node:child_process';
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
const archive = join(folder, 'vendor-nats.tar.gz');
let vendor: Server;
let base = '';
let requests: string[] = [];
let cacheDir = '';
let said: string[] = [];
let runs = 0;

/** A program that prints `version`. */
function program(path: string, version: string) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const binary = (change: Partial<Binary> = {}): Binary => ({
  ...natsServer,
  archive: `${base}/vendor-nats.tar.gz`,
  checksums: `${base}/SHA256SUMS`,
  goPackage: 'example.invalid/nothing@v0',
  ...change,
});

const find = (wanted: Binary, named?: string, path = '') =>
  findBinary(wanted, named, { cacheDir, environment: { PATH: path }, say: (line) => void said.push(line) });

beforeAll(async () => {
  program(join(folder, 'pack/nats-server-v2/nats-server'), 'nats-server: v2.15.2');
  execFileSync('tar', ['-czf', archive, '-C', join(folder, 'pack'), 'nats-server-v2']);
  const bytes = readFileSync(archive);
  const sum = createHash('sha256').update(bytes).digest('hex');
  vendor = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(request.url === '/SHA256SUMS' ? `${sum}  vendor-nats.tar.gz\n` : bytes);
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

  test('in our cache', async () => {
    const cached = program(join(cacheDir, 'nats-server-2.15.2/nats-server'), 'nats-server: v2.15.2');
    expect(await find(binary())).toBe(cached);
    expect(requests).toEqual([]);
  });
});

describe('a binary is fetched', () => {
  test('from the vendor, once by two who want it at once, and whole', async () => {
    const paths = await Promise.all([find(binary()), find(binary())]);
    expect(new Set(paths)).toEqual(new Set([join(cacheDir, 'nats-server-2.15.2/nats-server')]));
    expect(execFileSync(paths[0], { encoding: 'utf8' })).toContain('v2.15.2');
    expect(requests).toEqual(['/SHA256SUMS', '/vendor-nats.tar.gz']);
    expect(readdirSync(cacheDir)).toEqual(['nats-server-2.15.2']);
  });

  test('but not when its checksum is another; nothing is left', async () => {
    const wrong = binary({ pinned: { 'vendor-nats.tar.gz': 'f'.repeat(64) } });
    await expect(find(wrong)).rejects.toThrow(/checksum is .* instead of f+/);
    expect(readdirSync(cacheDir)).toEqual([]);
  });

  test('and where nothing works, the message says what to do', async () => {
    const unreachable = binary({ archive: 'http://127.0.0.1:1/a.tar.gz', checksums: 'http://127.0.0.1:1/sums' });
    await expect(find(unreachable)).rejects.toThrow(
      /nats-server is missing.*127\.0\.0\.1:1 can't be reached; Go is not installed[\s\S]*Install nats-server 2\.12 or later.*NATS_SERVER_BIN/,
    );
  });
});

test('versions as the programs print them', () => {
  expect(natsServer.accepts('nats-server: v2.15.2')).toBe(true);
  expect(natsServer.accepts('nats-server: v2.11.9')).toBe(false);
  expect(temporal.accepts('temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)')).toBe(true);
  expect(temporal.accepts('temporal version 1.6.0 (Server 1.30.0, UI 2.45.0)')).toBe(false);
});
