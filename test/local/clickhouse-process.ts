import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The local ClickHouse server on the data of `path`, as a process of its own; resolves once it says where it serves. */
export async function startClickHouseProcess(
  path: string,
  password: string,
  port = 0,
): Promise<{ child: ChildProcess; url: string }> {
  const main = join(import.meta.dirname, '../../local/clickhouse-server/main.ts');
  const passwordFile = join(path, 'password');
  writeFileSync(passwordFile, password);
  const args = [main, '--path', path, '--port', String(port), '--password-file', passwordFile];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '12', TZ: 'UTC' },
  });
  let said = '';
  for await (const chunk of child.stdout as Readable) {
    said += chunk;
    const url = /http:[^\s"]+/.exec(said)?.[0];
    if (url) return { child, url };
  }
  throw new Error(`did not start: ${said}`);
}
